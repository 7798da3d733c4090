// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/search/gp/targets.hpp"

#include "tune/core/search/learner/ranking.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tune::gp {

namespace {

constexpr double least_deviation = 1e-12;
/// Where the formula for λ ≠ 0 loses all digits.
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

std::vector<double> standardised(std::vector<double> xs) {
  // Sums of the largest floats overflow.
  double most = 0;
  for (auto x : xs)
    most = std::max(most, std::abs(x));
  if (most > 1e100) {
    for (auto& x : xs)
      x /= most;
  }
  auto [mean, variance] = moments_of(xs);
  auto deviation = std::sqrt(variance);
  for (auto& x : xs)
    x = deviation > least_deviation ? (x - mean) / deviation : 0;
  return xs;
}

std::vector<double> targets(std::span<const learning::result> of, bool power) {
  auto missed = learning::violations(of);
  std::vector<double> kept;
  for (std::size_t i = 0; i < of.size(); ++i) {
    if (of[i].how == learning::ending::finished && missed[i] == 0)
      kept.push_back(of[i].value);
  }
  auto bent = standardised(std::move(kept));
  if (power && !bent.empty()) {
    auto lambda = fitted_lambda(bent);
    for (auto& x : bent)
      x = yeo_johnson(x, lambda);
    bent = standardised(std::move(bent));
  }
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

} // namespace tune::gp
