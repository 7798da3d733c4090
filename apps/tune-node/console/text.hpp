/// Text as a terminal shows it: printable, and measured in columns.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/printable.hpp"
#include "tune/core/shell_word.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace tune::cli {

using tune::printable;
using tune::shell_word;

/// Columns that UTF-8 text takes on a terminal: wide characters 2, combining ones 0. Our own
/// colour sequences (`ESC [ … m`) take none. The same in any locale.
[[nodiscard]] std::size_t display_width(std::string_view text);

/// Shortens text without colours to at most `width` columns; shortened text ends in "…".
[[nodiscard]] std::string cut(std::string_view text, std::size_t width);

/// Pads text to `width` columns with blanks after it, or before it.
[[nodiscard]] std::string pad_right(std::string text, std::size_t width);
[[nodiscard]] std::string pad_left(std::string text, std::size_t width);

/// The text that a terminal would show for a line of a program's output: without colour and cursor
/// sequences, the last state of a line rewritten by carriage returns (progress bars), tabs as
/// blanks; the rest as in `printable`.
[[nodiscard]] std::string settled_line(std::string_view line);

/// Breaks text between words into lines of at most `width` columns; longer words stay whole.
/// 0 = one line.
[[nodiscard]] std::vector<std::string> wrapped(std::string_view text, std::size_t width);

} // namespace tune::cli
