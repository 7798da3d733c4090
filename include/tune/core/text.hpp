/// Small text functions used in many places.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>

namespace tune {

/// ASCII digits, whatever the locale says.
[[nodiscard]] constexpr bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

/// Space, tab and line ends.
[[nodiscard]] constexpr bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

/// `text` between double quotes, without escaping.
[[nodiscard]] inline std::string in_quotes(std::string_view text) {
  return '"' + std::string{text} + '"';
}

} // namespace tune
