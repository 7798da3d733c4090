/// Takes out what steers a terminal. Private to processes.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace tune {

/// The end of the escape sequence (ECMA-48) that begins at `at`: colours and other control
/// sequences, strings such as titles, and shorter ones. One without an end goes to the end.
[[nodiscard]] inline std::size_t end_of_escape(std::string_view text, std::size_t at) {
  constexpr auto is_within = [](char c, unsigned low, unsigned high) {
    return static_cast<unsigned char>(c) >= low && static_cast<unsigned char>(c) <= high;
  };
  auto i = at + 1;
  if (i == text.size())
    return i;
  if (text[i] == ']' || text[i] == 'P' || text[i] == 'X' || text[i] == '^' || text[i] == '_') {
    for (++i; i < text.size(); ++i) {
      if (text[i] == '\a')
        return i + 1;
      if (text[i] == '\x1b' && i + 1 < text.size() && text[i + 1] == '\\')
        return i + 2;
    }
    return i;
  }
  if (text[i] == '[')
    for (++i; i < text.size() && is_within(text[i], 0x30, 0x3f);)
      ++i;
  while (i < text.size() && is_within(text[i], 0x20, 0x2f))
    ++i;
  return i < text.size() ? i + 1 : i;
}

/// A line as a person sees it in a terminal: without escape sequences.
[[nodiscard]] inline std::string without_escapes(std::string_view line) {
  std::string result;
  for (std::size_t at = 0; at < line.size();) {
    if (line[at] == '\x1b')
      at = end_of_escape(line, at);
    else
      result += line[at++];
  }
  return result;
}

} // namespace tune
