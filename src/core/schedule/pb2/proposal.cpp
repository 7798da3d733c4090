// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/schedule/pb2/proposal.hpp"

#include "tune/core/schedule/pb2/box_climb.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <utility>

namespace tune::pb2 {

namespace {

constexpr std::size_t short_window = 200;
constexpr std::size_t window_step = 10;
constexpr int starts = 10;
constexpr unsigned most_steps = 200;
/// Smallest gain for which a climb continues. [standard deviations of the gains]
constexpr double least_gain = 1e-9;
/// Added to the standard deviation, which is 0 if all values are equal.
constexpr double least_range = 1e-8;
/// Limit to which gains are clamped. [standard deviations]
constexpr double widest = 2;

std::vector<stretch> last(const std::vector<stretch>& all, std::size_t count) {
  return {all.end() - static_cast<std::ptrdiff_t>(std::min(count, all.size())), all.end()};
}

std::vector<double> standardised(std::vector<double> xs) {
  auto n = static_cast<double>(xs.size());
  auto mean = 0.0;
  for (auto x : xs)
    mean += x / n;
  auto variance = 0.0;
  for (auto x : xs)
    variance += (x - mean) * (x - mean) / n;
  for (auto& x : xs)
    x = std::clamp((x - mean) / (std::sqrt(variance) + least_range), -widest, widest);
  return xs;
}

/// Upper confidence bound mean + κ·σ over the parameters, at the donor's time and score.
class outlook {
public:
  outlook(const prepared& from, const kernel& by, const question& what)
      : mean_{by, from.where, from.gains}
      , spread_{with(from, by, what)}
      , here_{from.place_of(what.time, what.before, {})}
      , kappa_{std::sqrt(
            0.2 + std::max(0.0, std::log(0.4 * static_cast<double>(from.where.size()))))} {}

  [[nodiscard]] double value(std::span<const double> x, std::span<double> gradient) const {
    auto where = at(x);
    point along_mean(where.at.size());
    point along_variance(where.at.size());
    point unused(where.at.size());
    auto mean = mean_.at(where, along_mean, unused).mean;
    auto sigma = std::sqrt(spread_.at(where, unused, along_variance).variance);
    for (std::size_t i = 0; i < x.size(); ++i)
      gradient[i]
          = along_mean[i + 1] + (sigma > 0 ? kappa_ * along_variance[i + 1] / 2 / sigma : 0);
    return mean + kappa_ * sigma;
  }

  [[nodiscard]] belief believed(const point& x) const {
    return {mean_.at(at(x)).mean, spread_.at(at(x)).variance};
  }

private:
  gaussian_process mean_;
  gaussian_process spread_;
  place here_;
  double kappa_;

  [[nodiscard]] place at(std::span<const double> x) const {
    auto result = here_;
    result.at.insert(result.at.end(), x.begin(), x.end());
    return result;
  }

  /// Treats what others chose as measured: the variance does not depend on the outcome.
  static gaussian_process with(const prepared& from, const kernel& by, const question& what) {
    auto where = from.where;
    auto gains = from.gains;
    for (const auto& x : what.chosen) {
      where.push_back(from.place_of(what.time, what.before, x));
      gains.push_back(0);
    }
    return {by, std::move(where), std::move(gains)};
  }
};

} // namespace

prepared::prepared(std::vector<stretch> from) {
  assert(!from.empty());
  auto [first, latest] = std::minmax_element(
      from.begin(), from.end(), [](const auto& x, const auto& y) { return x.time < y.time; });
  auto [least, most] = std::minmax_element(
      from.begin(), from.end(), [](const auto& x, const auto& y) { return x.before < y.before; });
  first_time_ = first->time;
  time_range_ = latest->time - first->time + least_range;
  least_before_ = least->before;
  before_range_ = most->before - least->before + least_range;
  for (const auto& x : from) {
    where.push_back(place_of(x.time, x.before, x.at));
    gains.push_back(x.gain);
  }
  gains = standardised(std::move(gains));
}

place prepared::place_of(double time, double before, const point& at) const {
  place result;
  result.time = (time - first_time_) / time_range_;
  result.at.push_back((before - least_before_) / before_range_);
  result.at.insert(result.at.end(), at.begin(), at.end());
  return result;
}

std::size_t window_length(const std::vector<stretch>& all, const kernel& by) {
  if (all.size() <= short_window)
    return all.size();
  auto best = short_window;
  auto most = -std::numeric_limits<double>::infinity();
  for (auto length = short_window; length <= all.size(); length += window_step) {
    const prepared data{last(all, length)};
    auto likelihood = gaussian_process{by, data.where, data.gains}.log_likelihood();
    if (likelihood > most) {
      most = likelihood;
      best = length;
    }
  }
  return best;
}

proposal propose(const std::vector<stretch>& all, const question& what,
                 const std::function<double()>& unit) {
  const prepared recent{last(all, short_window)};
  proposal result;
  result.by = fitted_kernel(recent.where, recent.gains);
  result.stretches = window_length(all, result.by);
  const prepared data{last(all, result.stretches)};
  const outlook ahead{data, result.by, what};
  const slope hill = [&](std::span<const double> x, std::span<double> gradient) {
    return ahead.value(x, gradient);
  };
  auto dimensions = all.back().at.size();
  const box unit_box{point(dimensions, 0), point(dimensions, 1)};
  summit best{{}, -std::numeric_limits<double>::infinity()};
  for (int i = 0; i < starts; ++i) {
    point from(dimensions);
    std::generate(from.begin(), from.end(), unit);
    auto top = climb(hill, unit_box, from, most_steps, least_gain);
    if (best.at.empty() || top.value > best.value)
      best = std::move(top);
  }
  result.at = std::move(best.at);
  auto there = ahead.believed(result.at);
  result.mean = there.mean;
  result.sigma = std::sqrt(there.variance);
  return result;
}

} // namespace tune::pb2
