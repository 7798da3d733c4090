/// Splits a command into words like a POSIX shell, without running one.
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
  /// True if the first (last) character was neither quoted nor escaped, so that a bracket there
  /// marks a group.
  bool bare_first = false;
  bool bare_last = false;
};

/// Splits at blanks. 'Single quotes' keep everything, "double quotes" all but `\"`, `\\`, `\$` and
/// `` \` ``; a backslash elsewhere keeps the next character. Nothing else is special: no variables,
/// wildcards, pipes or redirections.
/// @param separators Characters that separate words outside quotes.
/// @errors `ec::bad_syntax`: an open quote, with its column; a backslash at the end.
[[nodiscard]] expected<std::vector<command_word>> split_words(std::string_view text,
                                                              std::string_view separators = " \t");

/// One word, quoted such that `split_words` restores it.
[[nodiscard]] std::string quoted_word(std::string_view word);

} // namespace tune
