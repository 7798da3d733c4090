// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/stable_math.hpp"

#include <cmath>
#include <limits>

namespace tune {

namespace {

// ln 2 in two parts; the first has so few bits that its product with an exponent is exact.
constexpr double ln2_high = 0x1.62e42fee00000p-1;
constexpr double ln2_low = 0x1.a39ef35793c76p-33;
constexpr double inverse_ln2 = 0x1.71547652b82fep+0;
constexpr double infinity = std::numeric_limits<double>::infinity();

} // namespace

double stable_log(double x) {
  if (std::isnan(x) || x < 0)
    return std::numeric_limits<double>::quiet_NaN();
  if (x == 0)
    return -infinity;
  if (std::isinf(x))
    return x;
  int exponent = 0;
  auto m = std::frexp(x, &exponent);
  if (m < 0x1.6a09e667f3bcdp-1) { // sqrt(1/2)
    m *= 2;
    --exponent;
  }
  // log(1 + f) = 2 atanh(s) for s = f / (2 + f) = f - s f, and |s| < 0.172: eleven terms suffice.
  auto f = m - 1;
  auto s = f / (2 + f);
  auto z = s * s;
  double series = 0;
  for (int k = 23; k >= 3; k -= 2)
    series = z * (2.0 / k + series);
  auto k = static_cast<double>(exponent);
  return k * ln2_high + (f - (s * (f - series) - k * ln2_low));
}

double stable_exp(double x) {
  if (std::isnan(x))
    return x;
  if (x > 709.79)
    return infinity;
  if (x < -745.2)
    return 0;
  // std::floor is exact, unlike the rounding mode it would otherwise depend on.
  auto k = std::floor(x * inverse_ln2 + 0.5);
  auto high = x - k * ln2_high;
  auto r = high - k * ln2_low;
  auto lost = (high - r) - k * ln2_low;
  double series = 1;
  for (int i = 14; i >= 3; --i)
    series = 1 + r / i * series;
  auto scale = static_cast<int>(k);
  return std::ldexp(1 + (r + (r * r / 2 * series + lost)), scale);
}

} // namespace tune
