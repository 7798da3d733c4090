// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/search/encoding/axis.hpp"

#include "../../space/is_number.hpp"

#include "tune/core/rng.hpp"
#include "tune/core/space/quantum.hpp"
#include "tune/core/stable_math.hpp"
#include "tune/core/value_set.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace tune {

namespace {

/// Quantiles beyond this (4.7 standard deviations) are not needed, and are numerically unstable.
constexpr double least_quantile = 1e-6;

/// The options without duplicates.
std::vector<value> distinct(const std::vector<value>& options) {
  std::vector<value> result;
  value_set seen;
  for (const auto& x : options) {
    if (seen.insert(x).second)
      result.push_back(x);
  }
  return result;
}

/// Whether a list is meant as a scale: all numbers, in rising or falling order.
bool is_scale(const std::vector<value>& options) {
  if (options.size() < 3 || !std::all_of(options.begin(), options.end(), is_number))
    return false;
  auto rises = *options[1].number() > *options[0].number();
  for (std::size_t i = 1; i < options.size(); ++i) {
    auto up = *options[i].number() > *options[i - 1].number();
    if (up != rises || *options[i].number() == *options[i - 1].number())
      return false;
  }
  return true;
}

std::int64_t to_integer(double x) {
  constexpr double edge = 0x1p63;
  if (x >= edge)
    return std::numeric_limits<std::int64_t>::max();
  return x <= -edge ? std::numeric_limits<std::int64_t>::min() : static_cast<std::int64_t>(x);
}

} // namespace

/// Makes an axis of each kind of domain.
struct axis::builder {
  using answer = std::optional<axis>;

  answer operator()(const constant&) const { return std::nullopt; }
  answer operator()(const grid_of& x) const { return list(x.options, false); }
  answer operator()(const choice_of& x) const { return list(x.options, x.ordered); }
  answer operator()(const permutation_of&) const { return std::nullopt; }
  answer operator()(const subset_of&) const { return std::nullopt; }
  answer operator()(const dependent_range&) const { return std::nullopt; }
  answer operator()(const float_range& x) const {
    if (x.low >= x.high)
      return std::nullopt;
    if (x.step > 0)
      return steps(std::round(x.low / x.step), std::round(x.high / x.step), x.step, x.log, false);
    axis result;
    result.log_ = x.log;
    result.first_ = x.low;
    result.last_ = std::nextafter(x.high, x.low);
    result.low_ = x.log ? stable_log(x.low) : x.low;
    result.high_ = x.log ? stable_log(x.high) : x.high;
    return result;
  }
  answer operator()(const int_range& x) const {
    auto [first, last]
        = x.step > 1 ? steps_between(x.low, x.high, x.step) : step_range{x.low, x.high - 1};
    auto step = std::max<std::int64_t>(x.step, 1);
    auto result = steps(static_cast<double>(first), static_cast<double>(last),
                        static_cast<double>(step), x.log, true);
    if (result) {
      result->least_ = first * step;
      result->most_ = last * step;
    }
    return result;
  }
  answer operator()(const normal_range& x) const {
    axis result;
    result.kind_ = kind::normal;
    result.low_ = x.mean;
    result.high_ = x.sd;
    result.step_ = x.step;
    if (x.step > 0)
      result.cells_ = std::max(2.0, std::round(6 * x.sd / x.step));
    return result;
  }

private:
  static answer list(const std::vector<value>& options, bool ordered) {
    axis result;
    result.options_ = distinct(options);
    if (result.options_.size() < 2)
      return std::nullopt;
    result.kind_ = ordered || is_scale(result.options_) ? kind::ordered : kind::category;
    result.cells_ = static_cast<double>(result.options_.size());
    result.last_ = result.cells_ - 1;
    return result;
  }

  static answer steps(double first, double last, double step, bool log, bool whole) {
    if (last <= first)
      return std::nullopt;
    axis result;
    result.kind_ = kind::stepped;
    result.log_ = log;
    result.whole_ = whole;
    result.first_ = first;
    result.last_ = last;
    result.step_ = step;
    result.cells_ = last - first + 1;
    result.low_ = log ? stable_log(first - 0.5) : first - 0.5;
    result.high_ = log ? stable_log(last + 0.5) : last + 0.5;
    return result;
  }
};

std::optional<axis> axis::make(const domain& what) {
  return std::visit(builder{}, what);
}

std::optional<axis> axis::make_relative(const domain& widest) {
  auto wide = make(widest);
  if (!wide)
    return std::nullopt;
  axis result;
  result.kind_ = kind::relative;
  result.last_ = 1;
  result.cells_ = wide->cells();
  return result;
}

std::vector<axis> axis::make_all(const domain& what) {
  if (const auto* order = std::get_if<permutation_of>(&what)) {
    choice_of ranks{{}, true};
    for (std::size_t i = 0; i < order->items.size(); ++i)
      ranks.options.emplace_back(static_cast<std::int64_t>(i));
    return std::vector<axis>(order->items.size(), *make(ranks));
  }
  if (const auto* members = std::get_if<subset_of>(&what))
    return std::vector<axis>(members->items.size(), *make(choice_of{{false, true}}));
  auto one = make(what);
  return one ? std::vector<axis>{std::move(*one)} : std::vector<axis>{};
}

/// Number at a coordinate: the number itself, a number of steps, or an index.
double axis::number_at(double u) const {
  u = std::clamp(u, 0.0, 1.0);
  switch (kind_) {
    case kind::ordered:
      return std::min(last_, std::floor(u * cells_));
    case kind::normal: {
      auto x = low_ + high_ * normal_quantile(std::clamp(u, least_quantile, 1 - least_quantile));
      return step_ > 0 ? std::round(x / step_) : x;
    }
    default: {
      auto x = low_ + u * (high_ - low_);
      x = log_ ? stable_exp(x) : x;
      return std::clamp(kind_ == kind::stepped ? std::round(x) : x, first_, last_);
    }
  }
}

double axis::coordinate_of_number(double x) const {
  switch (kind_) {
    case kind::ordered:
      return (x + 0.5) / cells_;
    case kind::normal: {
      auto z = (step_ > 0 ? x * step_ - low_ : x - low_) / high_;
      auto u = 0.5 * std::erfc(-z / std::numbers::sqrt2);
      return std::clamp(u, least_quantile, 1 - least_quantile);
    }
    default: {
      x = std::clamp(x, first_, last_);
      auto u = ((log_ ? stable_log(x) : x) - low_) / (high_ - low_);
      return std::clamp(u, 0.0, 1.0);
    }
  }
}

double axis::snapped(double u) const {
  if (is_category())
    return std::clamp(std::floor(u), 0.0, last_);
  if (kind_ == kind::real || kind_ == kind::relative)
    return std::clamp(u, 0.0, 1.0);
  return coordinate_of_number(number_at(u));
}

value axis::at(double u) const {
  if (is_category())
    return options_[static_cast<std::size_t>(std::clamp(std::floor(u), 0.0, last_))];
  auto x = number_at(u);
  if (kind_ == kind::ordered)
    return options_[static_cast<std::size_t>(x)];
  if (whole_) {
    // As integers, since products beyond 2^53 would not be multiples.
    const auto step = static_cast<std::int64_t>(step_);
    return value{std::clamp(to_integer(x), least_ / step, most_ / step) * step};
  }
  return value{step_ > 0 ? multiple_of(step_, x) : x};
}

std::optional<double> axis::coordinate(const value& x) const {
  if (!options_.empty()) {
    auto i = std::find(options_.begin(), options_.end(), x);
    if (i == options_.end())
      return std::nullopt;
    auto index = static_cast<double>(i - options_.begin());
    return is_category() ? index : coordinate_of_number(index);
  }
  if (!is_number(x) || !std::isfinite(*x.number()))
    return std::nullopt;
  auto number = *x.number();
  return coordinate_of_number(step_ > 0 ? std::round(number / step_) : number);
}

interval axis::cover(const axis& part) const {
  auto at = [&](double end) {
    auto x = part.log_ && !log_ ? stable_exp(end) : end;
    return std::clamp((x - low_) / (high_ - low_), 0.0, 1.0);
  };
  return {at(part.low_), at(part.high_)};
}

double axis::coordinate_of_cell(double i) const {
  return is_category() ? i : coordinate_of_number(kind_ == kind::ordered ? i : first_ + i);
}

std::optional<std::vector<double>> list_coordinates(const domain& what, const value& x) {
  const auto* order = std::get_if<permutation_of>(&what);
  const auto* members = std::get_if<subset_of>(&what);
  if ((order == nullptr && members == nullptr) || !contains(what, x))
    return std::nullopt;
  const auto& items = order != nullptr ? order->items : members->items;
  const auto& list = *x.as_list();
  auto size = static_cast<double>(items.size());
  std::vector<double> result;
  for (const auto& item : items) {
    auto found = std::find(list.begin(), list.end(), item);
    auto rank = static_cast<double>(found - list.begin());
    result.push_back(order != nullptr ? (rank + 0.5) / size : found != list.end() ? 1 : 0);
  }
  return result;
}

} // namespace tune
