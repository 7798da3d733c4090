/// Splits a command into words like a POSIX shell, but without a shell.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/error.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace tune {

/// One word, quotes removed.
struct command_word {
  std::string text;
  /// Its first or last character was neither quoted nor escaped: brackets there are groups.
  bool bare_first = false;
  bool bare_last = false;
};

/// Splits at blanks. 'single quotes' keep everything, "double quotes" all but `\"`, `\\`, `\$` and
/// `` \` ``; a backslash elsewhere keeps the next character. Nothing else is special: no variables,
/// wildcards, pipes or redirections.
/// @param separators What splits words beside quotes.
/// @errors `ec::bad_syntax`: an open quote, with its column; a backslash at the end.
[[nodiscard]] expected<std::vector<command_word>> split_words(std::string_view text,
                                                              std::string_view separators = " \t");

/// One word so quoted that `split_words` gives it back.
[[nodiscard]] std::string quoted_word(std::string_view word);

} // namespace tune
