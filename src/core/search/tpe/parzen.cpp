// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/search/tpe/parzen.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

namespace tune::tpe {

namespace {

constexpr double narrowest = 0.03;
constexpr double prior_mean = 0.5;
constexpr double prior_width = 1;
constexpr int truncated_draws = 50;
/// Keeps logarithms of vanishing masses finite.
constexpr double least_mass = 1e-300;

double normal_cdf(double z) {
  return 0.5 * std::erfc(-z / std::numbers::sqrt2);
}

/// Probability mass of N(mean, width) between two places.
double mass_between(double low, double high, double mean, double width) {
  // In the upper tail, differences of the complements are exact, while those of the masses are not.
  auto a = (low - mean) / width;
  auto b = (high - mean) / width;
  return a > 0 ? normal_cdf(-a) - normal_cdf(-b) : normal_cdf(b) - normal_cdf(a);
}

double log_sum_of_exponentials(const std::vector<double>& xs) {
  auto most = *std::max_element(xs.begin(), xs.end());
  double sum = 0;
  for (auto x : xs)
    sum += std::exp(x - most);
  return most + std::log(sum);
}

} // namespace

parzen::parzen(const encoding& space, const std::vector<const cube_point*>& around,
               const std::vector<double>& weights)
    : space_{&space}, points_{around.size()}, shares_{weights} {
  shares_.push_back(1);
  auto sum = std::accumulate(shares_.begin(), shares_.end(), 0.0);
  for (auto& x : shares_) {
    x /= sum;
    log_weights_.push_back(std::log(x));
  }
  for (std::size_t i = 0; i < space.dimensions(); ++i)
    columns_.push_back(make_column(i, around));
}

parzen::column parzen::make_column(std::size_t i,
                                   const std::vector<const cube_point*>& around) const {
  column result;
  std::vector<bool> lacks;
  for (const auto* point : around) {
    auto u = (*point)[i];
    lacks.push_back(std::isnan(u));
    result.choice.push_back(lacks.back() ? -1 : u);
    result.mean.push_back(lacks.back() ? prior_mean : u);
  }
  result.choice.push_back(-1);
  result.mean.push_back(prior_mean);
  if (space_->at(i).is_category())
    return result;
  result.width.assign(points_ + 1, prior_width);
  fit_widths(result, lacks);
  for (std::size_t k = 0; k <= points_; ++k) {
    auto width = result.width[k];
    result.log_mass.push_back(std::log(mass_between(0, 1, result.mean[k], width)));
    result.log_scale.push_back(result.log_mass[k]
                               + std::log(width * std::sqrt(2 * std::numbers::pi)));
  }
  return result;
}

void parzen::fit_widths(column& to, const std::vector<bool>& lacks) const {
  std::vector<std::size_t> order;
  for (std::size_t k = 0; k < points_; ++k) {
    if (!lacks[k])
      order.push_back(k);
  }
  std::sort(order.begin(), order.end(), [&](auto a, auto b) {
    return to.mean[a] != to.mean[b] ? to.mean[a] < to.mean[b] : a < b;
  });
  auto floor = std::max(narrowest, std::pow(static_cast<double>(points_) + 2, -2));
  auto count = order.size();
  for (std::size_t k = 0; k < count; ++k) {
    auto u = to.mean[order[k]];
    auto left = u - (k > 0 ? to.mean[order[k - 1]] : 0);
    auto right = (k + 1 < count ? to.mean[order[k + 1]] : 1) - u;
    // The ends of the range count as neighbours only for a single point.
    if (count > 1 && k == 0)
      left = right;
    if (count > 1 && k + 1 == count)
      right = left;
    to.width[order[k]] = std::clamp(std::max(left, right), floor, 1.0);
  }
}

std::size_t parzen::draw_kernel(rng& from) const {
  auto u = from.unit();
  std::size_t k = 0;
  for (; k < points_ && u >= shares_[k]; ++k)
    u -= shares_[k];
  return k;
}

double parzen::draw(std::size_t kernel, std::size_t i, rng& from) const {
  const auto& axis = space_->at(i);
  const auto& by = columns_[i];
  if (by.choice[kernel] < 0)
    return space_->draw(i, from);
  if (axis.is_category()) {
    auto e = 1 / (static_cast<double>(points_) + 1);
    return from.unit() < 1 / (1 + axis.cells() * e) ? by.choice[kernel] : space_->draw(i, from);
  }
  double u = 0;
  int tries = 0;
  do
    u = by.mean[kernel] + by.width[kernel] * from.normal();
  while ((u < 0 || u > 1) && ++tries < truncated_draws);
  return std::clamp(u, 0.0, 1.0);
}

cube_point parzen::draw(rng& from) const {
  auto kernel = draw_kernel(from);
  cube_point result(space_->dimensions());
  for (std::size_t i = 0; i < result.size(); ++i)
    result[i] = draw(kernel, i, from);
  return result;
}

double parzen::draw(std::size_t i, rng& from) const {
  auto kernel = draw_kernel(from);
  return draw(kernel, i, from);
}

/// Adds each kernel's log density at `u` on axis `i`.
void parzen::add_logs(std::size_t i, double u, std::vector<double>& to) const {
  const auto& axis = space_->at(i);
  const auto& by = columns_[i];
  if (axis.is_category()) {
    auto e = 1 / (static_cast<double>(points_) + 1);
    auto same = std::log((e + 1) / (1 + axis.cells() * e));
    auto other = std::log(e / (1 + axis.cells() * e));
    auto even = -std::log(axis.cells());
    for (std::size_t k = 0; k <= points_; ++k)
      to[k] += by.choice[k] < 0 ? even : by.choice[k] == u ? same : other;
  } else if (axis.is_finite() && axis.is_even()) {
    auto half = 0.5 / axis.cells();
    for (std::size_t k = 0; k <= points_; ++k) {
      auto mass = mass_between(u - half, u + half, by.mean[k], by.width[k]);
      to[k] += std::log(std::max(least_mass, mass)) - by.log_mass[k];
    }
  } else {
    for (std::size_t k = 0; k <= points_; ++k) {
      auto z = (u - by.mean[k]) / by.width[k];
      to[k] -= 0.5 * z * z + by.log_scale[k];
    }
  }
}

double parzen::log_density(const cube_point& canonical) const {
  auto logs = log_weights_;
  for (std::size_t i = 0; i < canonical.size(); ++i) {
    if (!std::isnan(canonical[i]))
      add_logs(i, canonical[i], logs);
  }
  return log_sum_of_exponentials(logs);
}

double parzen::log_density(std::size_t i, double u) const {
  auto logs = log_weights_;
  add_logs(i, u, logs);
  return log_sum_of_exponentials(logs);
}

} // namespace tune::tpe
