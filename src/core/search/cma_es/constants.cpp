// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/search/cma_es/constants.hpp"

#include "tune/core/stable_math.hpp"

#include <algorithm>
#include <cmath>

namespace tune::cma_es {

namespace {

/// Keeps the sum of the learning rates below 1 for large populations.
constexpr double least_rest = 1e-8;

struct sums {
  double plain = 0;
  double squares = 0;

  [[nodiscard]] double effective() const { return plain * plain / squares; }
};

sums sums_of(const std::vector<double>& weights, std::size_t first, std::size_t last) {
  sums result;
  for (auto i = first; i < last; ++i) {
    result.plain += weights[i];
    result.squares += weights[i] * weights[i];
  }
  return result;
}

/// Weights ln((λ + 1) / 2) - ln i.
std::vector<double> raw_weights(std::size_t population) {
  std::vector<double> result;
  auto first = stable_log((static_cast<double>(population) + 1) / 2);
  for (std::size_t i = 1; i <= population; ++i)
    result.push_back(first - stable_log(static_cast<double>(i)));
  return result;
}

/// Scales the positive weights to sum up to 1, and the negative ones to -`others`.
void scale(std::vector<double>& weights, double others) {
  double above = 0;
  double below = 0;
  for (auto x : weights)
    (x > 0 ? above : below) += x;
  for (auto& x : weights)
    x *= x > 0 ? 1 / above : -others / below;
}

} // namespace

constants constants::of(std::size_t dimensions, std::size_t population) {
  constants made;
  made.dimensions = dimensions;
  made.population = population;
  made.parents = population / 2;
  auto n = static_cast<double>(dimensions);
  auto weights = raw_weights(population);
  auto mu = sums_of(weights, 0, made.parents).effective();
  auto mu_rest = sums_of(weights, made.parents, population).effective();
  made.mu_eff = mu;
  made.c_1 = 2 / ((n + 1.3) * (n + 1.3) + mu);
  made.c_mu = std::min(1 - made.c_1 - least_rest, 2 * (mu - 2 + 1 / mu) / ((n + 2) * (n + 2) + mu));
  made.c_sigma = (mu + 2) / (n + mu + 5);
  made.d_sigma = 1 + 2 * std::max(0.0, std::sqrt((mu - 1) / (n + 1)) - 1) + made.c_sigma;
  made.c_c = (4 + mu / n) / (n + 4 + 2 * mu / n);
  made.chi = std::sqrt(n) * (1 - 1 / (4 * n) + 1 / (21 * n * n));
  scale(weights, std::min({1 + made.c_1 / made.c_mu, 1 + 2 * mu_rest / (mu + 2),
                           (1 - made.c_1 - made.c_mu) / (n * made.c_mu)}));
  made.weights = std::move(weights);
  return made;
}

std::size_t usual_population(std::size_t dimensions) {
  auto n = static_cast<double>(std::max<std::size_t>(1, dimensions));
  return 4 + static_cast<std::size_t>(3 * stable_log(n));
}

} // namespace tune::cma_es
