// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/search/gp/targets.hpp"

#include "tune/core/search/excess_noise.hpp"
#include "tune/core/search/gp/improvement.hpp"
#include "tune/core/search/learner/ranking.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tune::gp {

namespace {

constexpr double least_deviation = 1e-12;
/// Around 0, the formula for λ ≠ 0 loses all digits.
constexpr double near_zero = 1e-6;

struct moments {
  double mean = 0;
  double variance = 0;
};

moments moments_of(std::span<const double> xs) {
  moments result;
  auto count = static_cast<double>(xs.size());
  for (auto x : xs)
    result.mean += x / count;
  for (auto x : xs)
    result.variance += (x - result.mean) * (x - result.mean) / count;
  return result;
}

} // namespace

double yeo_johnson(double x, double lambda) {
  if (x >= 0)
    return std::abs(lambda) < near_zero ? std::log1p(x)
                                        : std::expm1(lambda * std::log1p(x)) / lambda;
  auto other = 2 - lambda;
  return std::abs(other) < near_zero ? -std::log1p(-x)
                                     : -std::expm1(other * std::log1p(-x)) / other;
}

double yeo_johnson_inverse(double y, double lambda) {
  auto power = y >= 0 ? lambda : 2 - lambda;
  auto size = std::abs(y);
  double x = 0;
  if (std::abs(power) < near_zero)
    x = std::expm1(size);
  else if (1 + power * size > 0)
    x = std::expm1(std::log1p(power * size) / power);
  else
    x = std::numeric_limits<double>::infinity();
  return std::copysign(x, y);
}

double yeo_johnson_likelihood(std::span<const double> xs, double lambda) {
  std::vector<double> bent;
  double slope = 0;
  for (auto x : xs) {
    bent.push_back(yeo_johnson(x, lambda));
    slope += std::copysign(std::log1p(std::abs(x)), x);
  }
  auto variance = moments_of(bent).variance;
  return -0.5 * static_cast<double>(xs.size()) * std::log(variance + least_deviation)
         + (lambda - 1) * slope;
}

double fitted_lambda(std::span<const double> xs) {
  double best = 1;
  auto most = -std::numeric_limits<double>::infinity();
  auto look = [&](double lambda) {
    auto likelihood = yeo_johnson_likelihood(xs, lambda);
    if (likelihood > most) {
      most = likelihood;
      best = lambda;
    }
  };
  for (int i = -12; i <= 16; ++i)
    look(i * 0.25);
  for (auto step : {0.1, 0.04}) {
    auto centre = best;
    for (int i = -2; i <= 2; ++i)
      look(centre + i * step);
  }
  return best;
}

standard standard::of(std::span<const double> xs) {
  standard made;
  // Scaled, since sums of the largest floats would overflow.
  double most = 0;
  for (auto x : xs)
    most = std::max(most, std::abs(x));
  if (most > 1e100)
    made.unit = most;
  std::vector<double> scaled;
  for (auto x : xs)
    scaled.push_back(x / made.unit);
  auto [mean, variance] = moments_of(scaled);
  auto deviation = std::sqrt(variance);
  made.mean = mean;
  made.deviation = deviation > least_deviation ? deviation : 0;
  return made;
}

std::vector<double> standardised(std::vector<double> xs) {
  auto by = standard::of(xs);
  for (auto& x : xs)
    x = by.applied(x);
  return xs;
}

namespace {

/// Values of results that finished and meet their constraints.
std::vector<double> kept_of(std::span<const learning::result> of,
                            const std::vector<double>& missed) {
  std::vector<double> kept;
  for (std::size_t i = 0; i < of.size(); ++i) {
    if (of[i].how == learning::ending::finished && missed[i] == 0)
      kept.push_back(of[i].value);
  }
  return kept;
}

} // namespace

target_scale target_scale::of(std::vector<double> values, bool power) {
  target_scale made;
  made.plain_ = standard::of(values);
  made.is_bent_ = power && !values.empty();
  if (!made.is_bent_)
    return made;
  for (auto& x : values)
    x = made.plain_.applied(x);
  made.lambda_ = fitted_lambda(values);
  for (auto& x : values)
    x = yeo_johnson(x, made.lambda_);
  made.bent_ = standard::of(values);
  return made;
}

target_scale target_scale::of(std::span<const learning::result> results, bool power) {
  return of(kept_of(results, learning::violations(results)), power);
}

double target_scale::target_of(double value) const {
  auto x = plain_.applied(value);
  return is_bent_ ? bent_.applied(yeo_johnson(x, lambda_)) : x;
}

double target_scale::value_of(double target) const {
  constexpr double furthest = 10;
  if (!is_bent_)
    return plain_.undone(target);
  auto x = yeo_johnson_inverse(bent_.undone(target), lambda_);
  return plain_.undone(std::clamp(x, -furthest, furthest));
}

double target_scale::slope_at(double value) const {
  if (!(plain_.deviation > 0))
    return 0;
  auto slope = 1 / (plain_.deviation * plain_.unit);
  if (!is_bent_)
    return slope;
  auto x = plain_.applied(value);
  // The derivative of the transform is (1 + |x|) to this power.
  auto power = x >= 0 ? lambda_ - 1 : 1 - lambda_;
  return bent_.deviation > 0 ? slope * std::pow(1 + std::abs(x), power) / bent_.deviation : 0;
}

expectation target_scale::expected(double mean, double deviation, double best) const {
  expectation made;
  made.best = -value_of(best);
  if (!is_bent_) {
    made.mean = -value_of(mean);
    made.deviation = deviation * plain_.deviation * plain_.unit;
    made.improvement = made.deviation * std::exp(log_improvement((best - mean) / deviation));
    return made;
  }
  constexpr int steps = 400;
  constexpr double reach = 8;
  double mass = 0;
  double square = 0;
  for (int i = 0; i <= steps; ++i) {
    auto z = reach * (2.0 * i / steps - 1);
    auto weight = std::exp(-0.5 * z * z);
    // Relative to the value to be improved upon: squares of large values would lose their digits.
    auto gap = -value_of(mean + z * deviation) - made.best;
    mass += weight;
    made.mean += weight * gap;
    square += weight * gap * gap;
    made.improvement += weight * std::max(0.0, gap);
  }
  made.mean /= mass;
  made.deviation = std::sqrt(std::max(0.0, square / mass - made.mean * made.mean));
  made.improvement /= mass;
  made.mean += made.best;
  return made;
}

std::vector<double> targets(std::span<const learning::result> of, bool power) {
  auto missed = learning::violations(of);
  auto bent = kept_of(of, missed);
  auto by = target_scale::of(bent, power);
  for (auto& x : bent)
    x = by.target_of(x);
  auto worst = bent.empty() ? 0 : *std::max_element(bent.begin(), bent.end());
  auto end = worst;
  for (auto x : missed)
    end = std::max(end, worst + x);
  std::vector<double> result;
  std::size_t next = 0;
  for (std::size_t i = 0; i < of.size(); ++i) {
    if (of[i].how != learning::ending::finished)
      result.push_back(end);
    else
      result.push_back(missed[i] == 0 ? bent[next++] : worst + missed[i]);
  }
  return result;
}

std::vector<double> noises(std::span<const learning::result> of, bool power) {
  constexpr double most_noise = 2;
  auto missed = learning::violations(of);
  std::vector<std::optional<run_spread>> spreads;
  for (std::size_t i = 0; i < of.size(); ++i) {
    auto is_value = of[i].how == learning::ending::finished && missed[i] == 0;
    spreads.push_back(is_value ? of[i].spread : std::nullopt);
  }
  auto result = excess_noise(spreads);
  if (std::all_of(result.begin(), result.end(), [](double x) { return x == 0; }))
    return result;
  auto scale = target_scale::of(of, power);
  for (std::size_t i = 0; i < of.size(); ++i) {
    auto slope = scale.slope_at(of[i].value);
    result[i] = result[i] > 0 ? std::min(most_noise, result[i] * slope * slope) : 0;
  }
  return result;
}

} // namespace tune::gp
