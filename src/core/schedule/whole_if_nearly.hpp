/// Rounds away what floating point adds. Private to core.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>

namespace tune {

/// Relative.
inline constexpr double rounding_tolerance = 1e-9;

/// The whole number that differs from `x` by no more than `rounding_tolerance`; else `x`.
[[nodiscard]] inline double whole_if_nearly(double x) {
  auto whole = std::round(x);
  return std::abs(x - whole) <= rounding_tolerance * std::abs(x) ? whole : x;
}

} // namespace tune
