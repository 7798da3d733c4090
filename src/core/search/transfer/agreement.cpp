// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/search/transfer/agreement.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace tune::transfer {

namespace {

constexpr double ridge = 2;
constexpr double steepest = 2;
constexpr double flattest = 0.05;
constexpr int sweeps = 50;
constexpr double imagined_results = 4;
constexpr double imagined_correlation = 0.5;
constexpr double least_trust = 0.1;

std::vector<double> centred(std::span<const double> xs) {
  auto mean = std::accumulate(xs.begin(), xs.end(), 0.0)
              / static_cast<double>(std::max<std::size_t>(xs.size(), 1));
  std::vector<double> result{xs.begin(), xs.end()};
  for (auto& x : result)
    x -= mean;
  return result;
}

} // namespace

std::vector<double> slopes(const std::vector<std::vector<double>>& predictions,
                           std::span<const double> targets) {
  std::vector<std::vector<double>> columns;
  for (const auto& x : predictions)
    columns.push_back(centred(x));
  auto rest = centred(targets);
  std::vector<double> result(columns.size());
  for (int i = 0; i < sweeps; ++i) {
    for (std::size_t s = 0; s < columns.size(); ++s) {
      const auto& p = columns[s];
      auto along = std::inner_product(p.begin(), p.end(), rest.begin(), 0.0);
      auto square = std::inner_product(p.begin(), p.end(), p.begin(), 0.0);
      auto now = std::clamp((along + result[s] * square) / (square + ridge), 0.0, steepest);
      for (std::size_t k = 0; k < rest.size(); ++k)
        rest[k] -= (now - result[s]) * p[k];
      result[s] = now;
    }
  }
  for (auto& x : result)
    x = x < flattest ? 0 : x;
  return result;
}

double rank_correlation(std::span<const double> xs, std::span<const double> ys) {
  if (xs.size() < 2)
    return 0;
  double sum = 0;
  for (std::size_t i = 1; i < xs.size(); ++i) {
    for (std::size_t k = 0; k < i; ++k) {
      auto sign = (xs[i] > xs[k]   ? 1
                   : xs[i] < xs[k] ? -1
                                   : 0)
                  * (ys[i] > ys[k]   ? 1
                     : ys[i] < ys[k] ? -1
                                     : 0);
      sum += sign;
    }
  }
  auto n = static_cast<double>(xs.size());
  return sum / (n * (n - 1) / 2);
}

double trust(double correlation, std::size_t results) {
  auto n = static_cast<double>(results);
  auto all = (n * correlation + imagined_results * imagined_correlation) / (n + imagined_results);
  return all < least_trust ? 0 : std::min(all, 1.0);
}

} // namespace tune::transfer
