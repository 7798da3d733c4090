/// A text with placeholders for parameters: `--lr={lr}`, `{ini_dir}/data.csv`.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/error.hpp"
#include "tune/core/value.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tune {

/// What the runtime fills in beside the configuration.
struct command_builtins {
  std::string trial_dir;
  /// Directory of the INI file; words beginning with `./` stand against it.
  std::string ini_dir;
  std::string trial_id;
  std::string params_file;
};

/// The names of `command_builtins`: no parameter may have one.
[[nodiscard]] const std::vector<std::string>& command_builtin_names();

/// A value as one command-line word: floats shortest round-trip, texts as they are, lists and
/// objects as JSON.
[[nodiscard]] std::string word_of(const value& what);

/// Whether a text between braces is taken for a name, known or not.
[[nodiscard]] bool is_placeholder_name(std::string_view text);

/// "{lrr} is not a parameter; did you mean {lr}? …", as `ec::unknown_name`.
/// @param shown How it was written.
[[nodiscard]] error unknown_parameter(const std::string& name, const std::string& shown,
                                      std::vector<std::string> known);

/// A parsed text. Immutable.
///
/// `{{` is a brace, and so is the `}}` that closes it. Braces around what is no identifier are
/// themselves.
class text_template {
public:
  /// A literal, or the name of a placeholder.
  struct piece {
    std::string text;
    bool placeholder = false;
  };

  /// @param known Dotted names of the parameters.
  /// @errors `ec::unknown_name` for an identifier in braces that is none of them, with the nearest.
  [[nodiscard]] static expected<text_template> parse(std::string_view text,
                                                     const std::vector<std::string>& known);

  /// The text for one configuration. Parameters that are absent from it are inactive.
  /// @returns nothing where it names an inactive one.
  [[nodiscard]] std::optional<std::string> render(const object& config,
                                                  const command_builtins& builtins) const;

  /// Bytes of that text; 0 where it names an inactive one.
  [[nodiscard]] std::size_t size(const object& config, const command_builtins& builtins) const;

  [[nodiscard]] const std::vector<piece>& pieces() const { return pieces_; }

private:
  std::vector<piece> pieces_;
};

/// So written that `text_template::parse` gives the text itself, whatever the parameters; unchanged
/// where it does already.
[[nodiscard]] std::string without_placeholders(const std::string& text,
                                               const std::vector<std::string>& known);

} // namespace tune
