// SPDX-License-Identifier: BSD-3-Clause
#include "formula.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tune {

namespace {

constexpr std::size_t most_combinations = 4096;

bool crosses(const interval& x, double y) {
  return x.low <= y && y <= x.high;
}

/// Values at which to evaluate each operand: its ends, and 0, where operators change direction.
std::vector<std::vector<double>> corners_of(const std::vector<interval>& all) {
  std::vector<std::vector<double>> result;
  for (const auto& x : all) {
    result.push_back({x.low, x.high});
    if (crosses(x, 0))
      result.back().push_back(0);
  }
  return result;
}

void widen(std::optional<interval>& to, double x) {
  to = to ? interval{std::min(to->low, x), std::max(to->high, x)} : interval{x, x};
}

/// Interval of an operation that is monotonic in each operand on either side of 0: its extremes lie
/// at corners. Corners that cannot be computed are left out.
std::optional<interval> at_corners(const operation& by, const std::vector<interval>& all) {
  auto corners = corners_of(all);
  std::size_t count = 1;
  for (const auto& x : corners)
    count = count > most_combinations ? count : count * x.size();
  if (count > most_combinations)
    return std::nullopt;
  std::optional<interval> result;
  std::vector<double> chosen(all.size());
  for (std::size_t n = 0; n < count; ++n) {
    auto rest = n;
    for (std::size_t i = 0; i < corners.size(); ++i) {
      chosen[i] = corners[i][rest % corners[i].size()];
      rest /= corners[i].size();
    }
    if (auto x = by.of(chosen); !std::isnan(x))
      widen(result, x);
  }
  return result;
}

/// Interval of x - y floor(x / y), which lies between 0 and y.
std::optional<interval> span_of_remainder(const interval& y) {
  return interval{std::min(0.0, y.low), std::max(0.0, y.high)};
}

/// Interval of a power. A negative base has powers only for whole exponents, of either sign.
std::optional<interval> span_of_power(const operation& by, const interval& base,
                                      const interval& exponent) {
  if (base.low >= 0 || exponent.low == exponent.high)
    return at_corners(by, {base, exponent});
  auto reach = std::max(-base.low, base.high);
  auto most = at_corners(by, {{0, reach}, exponent});
  return most ? std::optional{interval{-most->high, most->high}} : std::nullopt;
}

/// Interval of the minimum or maximum of several numbers: that of their ends.
std::optional<interval> span_of_extreme(const operation& by, const std::vector<interval>& all) {
  std::vector<double> lows;
  std::vector<double> highs;
  for (const auto& x : all) {
    lows.push_back(x.low);
    highs.push_back(x.high);
  }
  return interval{by.of(lows), by.of(highs)};
}

std::optional<interval> span_of(const operation& by, const std::vector<interval>& all) {
  if (by.name == "/" && crosses(all[1], 0))
    return std::nullopt;
  if (by.name == "%")
    return span_of_remainder(all[1]);
  if (by.name == "**")
    return span_of_power(by, all[0], all[1]);
  if (by.name == "min" || by.name == "max")
    return span_of_extreme(by, all);
  return at_corners(by, all);
}

} // namespace

std::optional<interval> span_of(const formula& x, const interval_of& known) {
  if (x.what == formula::sort::named || x.what == formula::sort::length)
    return known(x.name, x.what == formula::sort::length);
  if (x.what == formula::sort::literal) {
    auto number = number_of(x.literal);
    return number ? std::optional{interval{*number, *number}} : std::nullopt;
  }
  std::vector<interval> parts;
  for (const auto& part : x.parts) {
    auto one = span_of(part, known);
    if (!one)
      return std::nullopt;
    parts.push_back(*one);
  }
  auto result = span_of(*x.by, parts);
  return result && std::isfinite(result->low) && std::isfinite(result->high) ? result
                                                                             : std::nullopt;
}

} // namespace tune
