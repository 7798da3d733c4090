// SPDX-License-Identifier: BSD-3-Clause
#include "plot/chart.hpp"

#include "console/human.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <limits>

namespace tune::cli {

namespace {

bool is_shown(const chart_axis& axis, double x) {
  return std::isfinite(x) && (!axis.log || x > 0);
}

void widen(chart_axis& axis) {
  if (axis.low < axis.high)
    return;
  if (axis.log) {
    using limits = std::numeric_limits<double>;
    axis.low = std::max(axis.low / 2, limits::denorm_min());
    axis.high = std::min(axis.high * 2, limits::max());
    return;
  }
  const auto room = axis.low == 0 ? 1 : std::abs(axis.low) / 10;
  axis.low -= room;
  axis.high += room;
}

void fit_axis(chart_axis& axis, const std::vector<double>& all) {
  if (!axis.names.empty()) {
    axis.low = -0.5;
    axis.high = static_cast<double>(axis.names.size()) - 0.5;
    return;
  }
  auto low = std::numeric_limits<double>::infinity(), high = -low;
  for (auto x : all) {
    if (!is_shown(axis, x))
      continue;
    low = std::min(low, x);
    high = std::max(high, x);
  }
  axis.low = low <= high ? low : axis.log ? 0.1 : 0;
  axis.high = low <= high ? high : 1;
  widen(axis);
}

/// 1, 2, 5 times a power of ten, at least as large.
double round_step(double least) {
  const auto power = std::pow(10, std::floor(std::log10(least)));
  for (auto factor : {1.0, 2.0, 5.0}) {
    if (factor * power >= least * (1 - 1e-9))
      return factor * power;
  }
  return 10 * power;
}

double time_step(double least) {
  constexpr std::array steps{1.0,   2.0,   5.0,    10.0,   15.0,   30.0,    60.0,    120.0,
                             300.0, 600.0, 1800.0, 3600.0, 7200.0, 10800.0, 21600.0, 43200.0};
  if (least < 1)
    return round_step(least);
  for (auto x : steps) {
    if (x >= least)
      return x;
  }
  return 86'400 * round_step(std::max(1.0, least / 86'400));
}

std::string time_tick(double seconds) {
  if (seconds < 1)
    return number_text(seconds) + "s";
  return duration_text(std::chrono::nanoseconds{static_cast<std::int64_t>(seconds * 1e9)});
}

/// With as many digits as tell neighbours apart.
std::string number_tick(double x, double step) {
  if (std::abs(x) < step / 1e6)
    return "0";
  if (std::abs(x) >= 1e6 || std::abs(x) < 1e-4)
    return number_text(x);
  const auto digits = std::clamp(static_cast<int>(-std::floor(std::log10(step) + 1e-9)), 0, 12);
  std::array<char, 64> text{};
  const auto size = std::snprintf(text.data(), text.size(), "%.*f", digits, x);
  return {text.data(), static_cast<std::size_t>(size)};
}

std::vector<chart_tick> level_ticks(const chart_axis& axis, std::size_t most) {
  auto step = (axis.high - axis.low) / static_cast<double>(std::max<std::size_t>(1, most));
  step = axis.seconds ? time_step(step) : round_step(step);
  if (axis.whole)
    step = std::max(1.0, step);
  std::vector<chart_tick> result;
  for (auto n = std::ceil(axis.low / step - 1e-9); n * step <= axis.high + step * 1e-9; ++n)
    result.push_back({n * step, axis.seconds ? time_tick(n * step) : number_tick(n * step, step)});
  return result;
}

std::vector<chart_tick> log_ticks(const chart_axis& axis, std::size_t most) {
  const auto first = std::ceil(std::log10(axis.low) - 1e-9);
  const auto last = std::floor(std::log10(axis.high) + 1e-9);
  const auto decades = last - first + 1;
  // Less than two decades have no ticks of their own.
  if (decades < 2) {
    auto level = axis;
    level.log = false;
    auto result = level_ticks(level, most);
    std::erase_if(result, [](const chart_tick& x) { return x.at <= 0; });
    return result;
  }
  const auto each = std::max(1.0, std::ceil(decades / static_cast<double>(most)));
  std::vector<chart_tick> result;
  for (auto power = first; power <= last; power += each) {
    const auto x = std::pow(10, power);
    result.push_back({x, axis.seconds ? time_tick(x) : number_text(x)});
  }
  return result;
}

std::vector<chart_tick> name_ticks(const chart_axis& axis, std::size_t most) {
  std::vector<chart_tick> all;
  for (std::size_t i = 0; i < axis.names.size(); ++i) {
    if (!axis.names[i].empty())
      all.push_back({static_cast<double>(i), axis.names[i]});
  }
  most = std::max<std::size_t>(1, most);
  const auto each = (all.size() + most - 1) / most;
  std::vector<chart_tick> result;
  for (std::size_t i = 0; i < all.size(); i += each)
    result.push_back(std::move(all[i]));
  return result;
}

} // namespace

double place_on(const chart_axis& axis, double x) {
  if (!is_shown(axis, x))
    return std::numeric_limits<double>::quiet_NaN();
  // Quotients of values may be more than a number can hold.
  if (axis.log && axis.low > 0)
    return (std::log(x) - std::log(axis.low)) / (std::log(axis.high) - std::log(axis.low));
  return (x - axis.low) / (axis.high - axis.low);
}

void fit(chart& x) {
  std::vector<double> xs, ys;
  for (const auto& series : x.series) {
    for (const auto& [at, value] : series.points) {
      xs.push_back(at);
      ys.push_back(value);
    }
  }
  fit_axis(x.x, xs);
  fit_axis(x.y, ys);
}

void calm(chart_axis& axis, std::vector<double> all) {
  std::erase_if(all, [&](double x) { return !is_shown(axis, x); });
  if (all.size() < 8 || axis.log)
    return;
  std::sort(all.begin(), all.end());
  const auto low = all[all.size() / 4], high = all[3 * all.size() / 4];
  const auto reach = 3 * (high - low);
  const auto from = std::max(all.front(), low - reach), to = std::min(all.back(), high + reach);
  if (reach == 0 || all.back() - all.front() <= 4 * (to - from))
    return;
  axis.low = std::max(axis.low, from);
  axis.high = std::min(axis.high, to);
}

std::vector<chart_tick> ticks_of(const chart_axis& axis, std::size_t most) {
  if (axis.hidden)
    return {};
  if (!axis.names.empty())
    return name_ticks(axis, most);
  return axis.log && axis.low > 0 ? log_ticks(axis, most) : level_ticks(axis, most);
}

} // namespace tune::cli
