/// The command of a trial with its placeholders: `python3 ./train.py --lr {lr} [-d {degree}]`.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/error.hpp"
#include "tune/core/space/condition.hpp"
#include "tune/core/value.hpp"
#include "tune/io/spec/text_template.hpp"

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace tune {

/// A parsed command. Immutable.
///
/// The command is split into words first; `{name}` is replaced in each word, and the result is
/// never split again. `{{` is a literal brace, and so is the `}}` that closes it. Braces around
/// text that is not an identifier are literal. A word naming an inactive parameter is dropped. `[-d
/// {degree}]`, with unquoted brackets at the ends of words, is a group: dropped as a whole if a
/// parameter in it is inactive. `[--shuffle if shuffle]` is a group with a condition, as in
/// [space]: dropped if the condition does not hold.
class command_template {
public:
  /// @param known Dotted names of the parameters.
  /// @errors `ec::bad_syntax` (quotes, groups, no word at all); `ec::unknown_name` with the
  ///         nearest name.
  [[nodiscard]] static expected<command_template> parse(std::string_view text,
                                                        const std::vector<std::string>& known);

  /// The words for one configuration. Parameters missing in it are inactive.
  /// @returns an empty list if the program itself names an inactive parameter; loading refuses such
  ///          commands.
  [[nodiscard]] std::vector<std::string> render(const object& config,
                                                const command_builtins& builtins) const;

  /// The names used, each once, in order; built-in ones included.
  [[nodiscard]] const std::vector<std::string>& names() const { return names_; }

  /// The words without placeholders, as written: programs, scripts, flags.
  [[nodiscard]] std::vector<std::string> fixed_words() const;

  /// Paths relative to the INI's directory that words name, independently of the configuration:
  /// words that begin with `./`, and the text after `{ini_dir}/` up to the word's end. Empty for
  /// the directory itself.
  [[nodiscard]] std::vector<std::string> ini_paths() const;

private:
  struct word {
    text_template text;
    /// Number shared by the words of one group; 0 = no group.
    std::size_t group = 0;
  };

  expected<void> add_word(std::string_view text, std::size_t group,
                          const std::vector<std::string>& known);
  [[nodiscard]] bool is_left_out(std::size_t group, const object& config) const;

  std::vector<word> words_;
  std::map<std::size_t, condition> conditions_;
  std::vector<std::string> names_;
};

} // namespace tune
