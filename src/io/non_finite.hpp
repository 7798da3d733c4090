/// Numbers that JSON has no form for, as texts. Private to io.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <limits>
#include <optional>
#include <string_view>

namespace tune {

/// The number that "nan", "inf" or "-inf" stands for; nothing for any other text.
[[nodiscard]] inline std::optional<double> non_finite(std::string_view text) {
  if (text == "nan")
    return std::numeric_limits<double>::quiet_NaN();
  if (text == "inf")
    return std::numeric_limits<double>::infinity();
  if (text == "-inf")
    return -std::numeric_limits<double>::infinity();
  return std::nullopt;
}

} // namespace tune
