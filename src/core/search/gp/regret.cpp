// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/search/gp/regret.hpp"

#include "tune/core/search/gp/kernel_book.hpp"
#include "tune/core/search/gp/targets.hpp"
#include "tune/core/search/learner/ranking.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <utility>

namespace tune::gp {

namespace {

using learning::ending;
using learning::outlook;
using learning::result;

constexpr portion learnt_from{200, 100, 100};
constexpr std::size_t random_points = 800;
constexpr std::size_t climbers = 4;
constexpr int climb_rounds = 20;
constexpr std::size_t climb_children = 12;
constexpr double first_climb_step = 0.2;
constexpr double shrinking = 0.8;

/// Standard deviation of results by which targets are standardised; 0 if all are equal.
double scale_of(const std::vector<result>& of) {
  auto missed = learning::violations(of);
  std::vector<double> kept;
  for (std::size_t i = 0; i < of.size(); ++i) {
    if (of[i].how == ending::finished && missed[i] == 0)
      kept.push_back(of[i].value);
  }
  auto count = static_cast<double>(kept.size());
  double mean = 0;
  double variance = 0;
  for (auto x : kept)
    mean += x / count;
  for (auto x : kept)
    variance += (x - mean) * (x - mean) / count;
  auto deviation = std::sqrt(variance);
  // Equal numbers may differ from their mean by rounding.
  auto is_known = std::isfinite(deviation) && deviation > 1e-12 * std::abs(mean);
  return is_known ? deviation : 0;
}

/// Confidence bounds of the model, `width` standard deviations from its mean.
class bounds {
public:
  bounds(const encoding& space, const model& by, double width)
      : space_{space}, by_{by}, width_{width} {}

  /// The smallest upper bound at some points.
  [[nodiscard]] double least_upper(const std::vector<cube_point>& at) const {
    auto all = of(at, width_);
    return *std::min_element(all.begin(), all.end());
  }

  /// The smallest lower bound found by a search: at random points, then around the best of them.
  [[nodiscard]] double least_lower(const std::vector<cube_point>& known, rng& chance) const {
    std::vector<cube_point> latent;
    for (const auto& x : known)
      latent.push_back(space_.filled(x, chance));
    for (std::size_t i = 0; i < random_points; ++i)
      latent.push_back(space_.random(chance));
    auto all = lower(latent);
    std::vector<std::size_t> order(latent.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    auto count = std::min(climbers, order.size());
    std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(count),
                      order.end(), [&](auto a, auto b) { return all[a] < all[b]; });
    auto result = all[order.front()];
    for (std::size_t k = 0; k < count; ++k)
      result = std::min(result, climbed(latent[order[k]], all[order[k]], chance));
    return result;
  }

private:
  const encoding& space_;
  const model& by_;
  double width_;

  [[nodiscard]] std::vector<double> of(const std::vector<cube_point>& at, double width) const {
    inputs points{space_};
    for (const auto& x : at)
      points.add(x);
    std::vector<double> means;
    std::vector<double> variances;
    by_.predict(points, means, variances);
    for (std::size_t i = 0; i < means.size(); ++i)
      means[i] += width * std::sqrt(variances[i]);
    return means;
  }

  [[nodiscard]] std::vector<double> lower(const std::vector<cube_point>& latent) const {
    std::vector<cube_point> canonical;
    for (const auto& x : latent)
      canonical.push_back(space_.canonical(x));
    return of(canonical, -width_);
  }

  [[nodiscard]] double climbed(cube_point from, double least, rng& chance) const {
    auto step = first_climb_step;
    for (int round = 0; round < climb_rounds; ++round, step *= shrinking) {
      std::vector<cube_point> latent(climb_children, from);
      for (std::size_t i = 0; i < climb_children; ++i) {
        if (i % 2 == 0)
          space_.mutate(latent[i], step, 1, chance);
        else
          space_.shift(latent[i], step, chance);
      }
      auto all = lower(latent);
      auto best = std::min_element(all.begin(), all.end()) - all.begin();
      if (all[static_cast<std::size_t>(best)] < least) {
        least = all[static_cast<std::size_t>(best)];
        from = std::move(latent[static_cast<std::size_t>(best)]);
      }
    }
    return least;
  }
};

} // namespace

double confidence_width(std::size_t dimensions, std::size_t results) {
  constexpr double chance_of_error = 0.1;
  auto n = static_cast<double>(results);
  auto pi = std::numbers::pi;
  auto many = static_cast<double>(dimensions) * n * n * pi * pi / (6 * chance_of_error);
  return std::sqrt(0.4 * std::log(many));
}

std::optional<double> regret_bound(const outlook& from, kernel_book& book) {
  std::vector<result> results;
  for (const auto& x : from.past().results()) {
    if (x.how != ending::stopped)
      results.push_back(x);
  }
  if (learning::ranking(results, 2).size() < 2 || learning::objectives_of(results) > 1)
    return std::nullopt;
  auto scale = scale_of(results);
  if (!(scale > 0))
    return std::nullopt;
  const auto& space = from.space();
  evidence all{&space, results, from.seed()};
  auto values = targets(results, false);
  auto noise = noises(results, false);
  inputs at{space};
  std::vector<double> chosen_values;
  std::vector<cube_point> finished;
  for (auto i : chosen_of(all, values, learnt_from)) {
    at.add(results[i].at, noise[i]);
    chosen_values.push_back(values[i]);
    if (results[i].how == ending::finished)
      finished.push_back(results[i].at);
  }
  model by{std::move(at), std::move(chosen_values), book.kernel_for(all, false)};
  bounds with{space, by,
              confidence_width(std::max<std::size_t>(space.dimensions(), 1), results.size())};
  rng chance{from.seed(), "regret bound", from.number()};
  auto upper = with.least_upper(finished);
  return scale * std::max(0.0, upper - with.least_lower(finished, chance));
}

} // namespace tune::gp
