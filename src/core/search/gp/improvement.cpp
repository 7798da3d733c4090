// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/search/gp/improvement.hpp"

#include <cmath>
#include <numbers>

namespace tune::gp {

namespace {

const double half_log_two_pi = 0.5 * std::log(2 * std::numbers::pi);
const double root_pi = std::sqrt(std::numbers::pi);
const double root_half_pi = std::sqrt(std::numbers::pi / 2);

/// Beyond this, so many terms of the asymptotic series are exact to the last digits.
constexpr double far = 20;
constexpr int terms = 7;
/// Beyond this, the bracket holds nothing but rounding errors.
constexpr double very_far = -1e4;

} // namespace

double scaled_erfc(double x) {
  if (x < far)
    return std::exp(x * x) * std::erfc(x);
  auto i = 1 / (x * x);
  double sum = 1;
  for (auto factor = terms - 0.5; factor > 0; --factor)
    sum = 1 - factor * i * sum;
  return sum / (x * root_pi);
}

double log_improvement(double z) {
  auto log_density = -0.5 * z * z - half_log_two_pi;
  if (z > -1)
    return std::log(std::exp(log_density) + z * 0.5 * std::erfc(-z / std::numbers::sqrt2));
  auto bracket = 1 + z * root_half_pi * scaled_erfc(-z / std::numbers::sqrt2);
  if (z < very_far || bracket <= 0)
    return log_density - 2 * std::log(-z);
  return log_density + std::log(bracket);
}

} // namespace tune::gp
