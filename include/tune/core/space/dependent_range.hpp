/// What a range whose bounds depend on others is for one configuration.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/space/domain.hpp"

#include <optional>
#include <string>
#include <vector>

namespace tune {

/// The names that the bounds read: those of `low`, then those of `high`.
[[nodiscard]] std::vector<std::string> names_of(const dependent_range& what);

/// Its bounds. Nothing for one that cannot be computed.
struct bounds {
  std::optional<double> low;
  std::optional<double> high;
};

/// @param read One per `names_of`, null where absent.
[[nodiscard]] bounds bounds_of(const dependent_range& what, std::span<const value* const> read);

/// The range between two numbers.
///
/// Bounds need not be whole, nor multiples of the step: what lies between them counts, and what is
/// within 1e-9 of a whole number or multiple is it. Where both are equal it has that one value,
/// also where the upper bound is excluded otherwise.
///
/// @returns Nothing where there is none: `why_empty`.
[[nodiscard]] std::optional<domain> range_between(const dependent_range& what, double low,
                                                  double high);

/// For people: "low = 2 is above high = 1".
[[nodiscard]] std::string why_empty(const dependent_range& what, const bounds& between);

/// Whether the range has a value only because its bounds are equal, of which the upper one is
/// excluded otherwise.
[[nodiscard]] bool meets(const dependent_range& what, double low, double high);

} // namespace tune
