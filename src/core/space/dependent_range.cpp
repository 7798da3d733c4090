// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/space/dependent_range.hpp"

#include "tune/core/space/quantum.hpp"

#include <cmath>

namespace tune {

namespace {

constexpr double largest_whole = 0x1p53;

/// Removes rounding errors: floating-point quotients such as 0.3 / 0.1 miss whole numbers slightly.
double cleaned(double x) {
  auto nearest = std::round(x);
  return std::abs(x - nearest) <= 1e-9 * std::fmax(1, std::abs(x)) ? nearest : x;
}

/// The first and last whole number of steps between two bounds.
struct steps {
  double first;
  double last;
};

std::optional<steps> steps_within(double step, double low, double high, bool log) {
  auto first = std::ceil(cleaned(low / step));
  auto last = std::floor(cleaned(high / step));
  auto most = std::fmax(std::abs(first), std::abs(last));
  if (first > last || most > most_steps || most * step > largest_whole || (log && first < 1))
    return std::nullopt;
  return steps{first, last};
}

std::optional<domain> whole_between(const dependent_range& what, double low, double high) {
  if (what.step > 1) {
    auto found = steps_within(what.step, low, high, what.log);
    if (!found)
      return std::nullopt;
    auto step = static_cast<std::int64_t>(what.step);
    return int_range{static_cast<std::int64_t>(found->first) * step,
                     static_cast<std::int64_t>(found->last) * step, what.log, step};
  }
  auto first = std::ceil(cleaned(low));
  auto end = std::ceil(cleaned(high)) + (meets(what, low, high) ? 1 : 0);
  if (first >= end || std::abs(first) > largest_whole || std::abs(end) > largest_whole
      || (what.log && first < 1))
    return std::nullopt;
  return int_range{static_cast<std::int64_t>(first), static_cast<std::int64_t>(end), what.log, 1};
}

std::optional<domain> real_between(const dependent_range& what, double low, double high) {
  if (low > high || !std::isfinite(high - low) || (what.log && low <= 0))
    return std::nullopt;
  if (what.step <= 0)
    return float_range{low, high, what.log, 0};
  auto first = std::ceil(cleaned(low / what.step));
  auto last = std::floor(cleaned(high / what.step));
  if (first > last || std::fmax(std::abs(first), std::abs(last)) > most_steps
      || (what.log && first < 1))
    return std::nullopt;
  return float_range{multiple_of(what.step, first), multiple_of(what.step, last), what.log,
                     what.step};
}

std::string shown(std::string_view name, double x) {
  return std::string{name} + " = " + to_text(value{x});
}

} // namespace

std::vector<std::string> names_of(const dependent_range& what) {
  auto result = what.low.names();
  result.insert(result.end(), what.high.names().begin(), what.high.names().end());
  return result;
}

bounds bounds_of(const dependent_range& what, std::span<const value* const> read) {
  auto first = what.low.names().size();
  return {what.low.number(read.first(first)), what.high.number(read.subspan(first))};
}

std::optional<domain> range_between(const dependent_range& what, double low, double high) {
  return what.whole ? whole_between(what, low, high) : real_between(what, low, high);
}

bool meets(const dependent_range& what, double low, double high) {
  auto x = cleaned(low);
  return what.whole && what.step <= 1 && x == cleaned(high) && x == std::round(x);
}

std::string why_empty(const dependent_range& what, const bounds& between) {
  if (!between.low || !between.high)
    return (between.low ? "high = " + what.high.text() : "low = " + what.low.text())
           + " cannot be computed";
  auto low = *between.low;
  auto high = *between.high;
  if (what.log && what.whole && low < 1)
    return shown("low", low) + " must be >= 1, because of the logarithm";
  if (what.log && low <= 0)
    return shown("low", low) + " must be > 0, because of the logarithm";
  if (low > high)
    return shown("low", low) + " is above " + shown("high", high);
  auto ends = " between " + shown("low", low) + " and " + shown("high", high);
  if (std::fmax(std::abs(low), std::abs(high)) > largest_whole || !std::isfinite(high - low))
    return "the range" + ends + " overflows";
  if (what.step > 0 && (!what.whole || what.step > 1))
    return "no multiple of " + to_text(value{what.step}) + " lies" + ends;
  return "no whole number lies" + ends;
}

} // namespace tune
