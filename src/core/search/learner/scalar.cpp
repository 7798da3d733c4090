// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/search/learner/scalar.hpp"

#include "tune/core/pareto/dominance.hpp"
#include "tune/core/search/learner/ranking.hpp"

#include <algorithm>
#include <cmath>

namespace tune::learning {

namespace {

/// Weight of the sum of all objectives, added to the worst of them.
constexpr double share_of_sum = 0.05;

struct range {
  /// Half of the bounds, since differences of the largest floats overflow.
  double half_low = 0;
  double half_high = 0;

  [[nodiscard]] double place(double x) const {
    auto size = half_high - half_low;
    return size > 0 ? (x / 2 - half_low) / size : x / 2 - half_low;
  }
};

/// Range of objective `k` as minimised; the scores are larger if better.
range range_of(const std::vector<double>& scores, std::size_t objectives, std::size_t k) {
  range result;
  for (auto i = k; i < scores.size(); i += objectives) {
    auto half = -scores[i] / 2;
    result.half_low = i == k ? half : std::min(result.half_low, half);
    result.half_high = i == k ? half : std::max(result.half_high, half);
  }
  return result;
}

std::vector<range> ranges_of(const std::vector<result>& of, std::uint32_t objectives) {
  auto missed = violations(of);
  std::vector<std::size_t> known;
  for (std::size_t i = 0; i < of.size(); ++i) {
    if (of[i].how == ending::finished && missed[i] == 0)
      known.push_back(i);
  }
  auto all = scores_of(of, known);
  std::vector<std::size_t> best;
  for (const auto& front : non_dominated_fronts(all, objectives, 1)) {
    for (auto k : front)
      best.push_back(known[k]);
  }
  auto front = scores_of(of, best);
  std::vector<range> result;
  for (std::size_t k = 0; k < objectives; ++k) {
    auto made = range_of(front, objectives, k);
    result.push_back(made.half_high > made.half_low ? made : range_of(all, objectives, k));
  }
  return result;
}

} // namespace

std::vector<double> drawn_weights(std::uint32_t objectives, rng& from) {
  std::vector<double> result;
  double sum = 0;
  for (std::uint32_t k = 0; k < objectives; ++k) {
    // Exponentially distributed numbers, divided by their sum, are uniform on the simplex.
    result.push_back(-std::log1p(-from.unit()) + 1e-12);
    sum += result.back();
  }
  for (auto& x : result)
    x /= sum;
  return result;
}

std::vector<result> as_one(std::vector<result> of, std::span<const double> weights) {
  auto ranges = ranges_of(of, static_cast<std::uint32_t>(weights.size()));
  for (auto& x : of) {
    if (x.how != ending::finished)
      continue;
    double most = 0;
    double sum = 0;
    for (std::size_t k = 0; k < weights.size(); ++k) {
      auto lost = weights[k] * ranges[k].place(k == 0 ? x.value : x.others[k - 1]);
      most = k == 0 ? lost : std::max(most, lost);
      sum += lost;
    }
    x.value = most + share_of_sum * sum;
    x.others.clear();
    // The spread is that of the first objective, and does not apply to the sum.
    x.spread.reset();
  }
  return of;
}

} // namespace tune::learning
