/// Small helpers to write values of the API.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/ids.hpp"
#include "tune/core/value.hpp"

#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <utility>

namespace tune::cli {

/// Stands for a number that there is not.
inline constexpr double no_number = std::numeric_limits<double>::quiet_NaN();

/// Whole numbers up to this one are exact as doubles.
inline constexpr double largest_exact = 9007199254740992.0;

/// A count or a number of a log: as a text where programs that know only doubles would lose digits.
[[nodiscard]] inline value number_value(std::uint64_t x) {
  constexpr std::uint64_t most = std::uint64_t{1} << 53U;
  return x <= most ? value{static_cast<std::int64_t>(x)} : value{std::to_string(x)};
}

/// [seconds]
[[nodiscard]] inline double seconds_of(std::chrono::nanoseconds x) {
  return static_cast<double>(x.count()) / 1e9;
}

[[nodiscard]] inline value seconds_value(const std::optional<instant>& x) {
  return x ? value{seconds_of(*x)} : value{};
}

/// Null for NaN.
[[nodiscard]] inline value number_or_null(double x) {
  return std::isnan(x) ? value{} : value{x};
}

/// Null for an empty text.
[[nodiscard]] inline value text_or_null(std::string x) {
  return x.empty() ? value{} : value{std::move(x)};
}

[[nodiscard]] inline value object_or_null(std::optional<object> x) {
  return x ? value{std::move(*x)} : value{};
}

} // namespace tune::cli
