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

/// Placeholders that the runtime fills in, in addition to the configuration.
struct command_builtins {
  std::string trial_dir;
  /// Directory of the INI file; words beginning with `./` are relative to it.
  std::string ini_dir;
  std::string trial_id;
  std::string params_file;
};

/// The names of `command_builtins`, which no parameter may have.
[[nodiscard]] const std::vector<std::string>& command_builtin_names();

/// A value as one command-line word: floats in the shortest exact form, texts as they are, lists
/// and objects as JSON.
[[nodiscard]] std::string word_of(const value& what);

/// Whether a text between braces counts as a name, known or not.
[[nodiscard]] bool is_placeholder_name(std::string_view text);

/// "{lrr} is not a parameter; did you mean {lr}? …", as `ec::unknown_name`.
/// @param shown The text as written.
[[nodiscard]] error unknown_parameter(const std::string& name, const std::string& shown,
                                      std::vector<std::string> known);

/// A parsed text. Immutable.
///
/// `{{` is a literal brace, and so is the `}}` that closes it. Braces around text that is not an
/// identifier are literal.
class text_template {
public:
  /// A literal, or the name of a placeholder.
  struct piece {
    std::string text;
    bool placeholder = false;
  };

  /// @param known Dotted names of the parameters.
  /// @errors `ec::unknown_name` for an unknown identifier in braces, with the nearest name.
  [[nodiscard]] static expected<text_template> parse(std::string_view text,
                                                     const std::vector<std::string>& known);

  /// The text for one configuration. Parameters missing in it are inactive.
  /// @returns nothing if it names an inactive parameter.
  [[nodiscard]] std::optional<std::string> render(const object& config,
                                                  const command_builtins& builtins) const;

  /// Size of that text in bytes; 0 if it names an inactive parameter.
  [[nodiscard]] std::size_t size(const object& config, const command_builtins& builtins) const;

  [[nodiscard]] const std::vector<piece>& pieces() const { return pieces_; }

private:
  std::vector<piece> pieces_;
};

/// Escapes a text so that `text_template::parse` yields the text itself, whatever the parameters;
/// unchanged if no escape is needed.
[[nodiscard]] std::string without_placeholders(const std::string& text,
                                               const std::vector<std::string>& known);

} // namespace tune
