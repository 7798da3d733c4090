/// Evaluates a range whose bounds depend on other parameters, for one configuration.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/space/domain.hpp"

#include <optional>
#include <string>
#include <vector>

namespace tune {

/// The names that the bounds read: those of `low`, then those of `high`.
[[nodiscard]] std::vector<std::string> names_of(const dependent_range& what);

/// Bounds of a range. Empty if they cannot be computed.
struct bounds {
  std::optional<double> low;
  std::optional<double> high;
};

/// Computes the bounds. @param read One value per `names_of`, null for absent ones.
[[nodiscard]] bounds bounds_of(const dependent_range& what, std::span<const value* const> read);

/// The range between two numbers.
///
/// Bounds need not be whole, nor multiples of the step: the values between them count, and a bound
/// within 1e-9 of a whole number or multiple counts as that. If both are equal the range has that
/// one value, even if the upper bound is excluded otherwise.
///
/// @returns empty if there is no such range: see `why_empty`.
[[nodiscard]] std::optional<domain> range_between(const dependent_range& what, double low,
                                                  double high);

/// Explanation for people: "low = 2 is above high = 1".
[[nodiscard]] std::string why_empty(const dependent_range& what, const bounds& between);

/// Whether the range has a value only because its bounds are equal, the upper one being excluded
/// otherwise.
[[nodiscard]] bool meets(const dependent_range& what, double low, double high);

} // namespace tune
