/// Multiples of a step: `q` of the quantised distributions.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>
#include <cstdint>
#include <optional>

namespace tune {

/// Largest number of steps of a multiple, so that all numbers of steps are exact.
inline constexpr double most_steps = 0x1p52;

/// `k` times `step`, computed in decimal if `step` is a decimal: three times 0.05 is 0.15.
[[nodiscard]] inline double multiple_of(double step, double k) {
  double power = 1;
  for (int digits = 0; digits <= 15; ++digits, power *= 10) {
    auto whole = std::round(step * power);
    if (whole / power == step && std::abs(whole * k) <= 0x1p53)
      return whole * k / power;
  }
  return step * k;
}

/// Number of steps that make `x`; empty if `x` is not a multiple, up to rounding.
[[nodiscard]] inline std::optional<double> steps_of(double step, double x) {
  auto k = x / step;
  auto nearest = std::round(k);
  if (std::abs(nearest) > most_steps || std::abs(k - nearest) > 1e-9 * std::fmax(1, std::abs(k)))
    return std::nullopt;
  return nearest;
}

/// Smallest and largest multiple of `step` in a range of integers, in steps.
struct step_range {
  std::int64_t first;
  std::int64_t last;
};

[[nodiscard]] constexpr step_range steps_between(std::int64_t low, std::int64_t high,
                                                 std::int64_t step) {
  auto up = low / step + (low % step > 0 ? 1 : 0);
  auto down = high / step - (high % step < 0 ? 1 : 0);
  return {up, down};
}

} // namespace tune
