// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/search/gp/acquisition.hpp"

#include "tune/core/search/gp/improvement.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <unordered_set>

namespace tune::gp {

namespace {

constexpr std::size_t random_candidates = 500;
constexpr std::size_t good_ones = 8;
constexpr std::size_t around_each = 25;
constexpr std::size_t inside_each = 4;
constexpr std::size_t beside_each = 10;
/// Observations of a branch that get children of their own, at most.
constexpr std::size_t most_inside = 100;
constexpr std::size_t local_searches = 6;
constexpr int rounds = 25;
constexpr std::size_t children = 10;
constexpr double first_step = 0.1;
constexpr double shortest_step = 0.002;
constexpr double longest_step = 0.3;

/// A point from which a local search goes on.
struct climber {
  cube_point latent;
  double score = 0;
  double step = first_step;
};

class search {
public:
  search(const quest& what, rng& from) : what_{what}, space_{*what.space}, from_{from} {}

  std::optional<cube_point> run() {
    auto climbers = begin();
    for (int i = 0; i < rounds && !climbers.empty(); ++i)
      climb(climbers);
    const climber* best = nullptr;
    for (const auto& x : climbers) {
      if (best == nullptr || x.score > best->score)
        best = &x;
    }
    if (best == nullptr)
      return std::nullopt;
    return space_.canonical(best->latent);
  }

private:
  const quest& what_;
  const encoding& space_;
  rng& from_;

  void fix(cube_point& latent) const {
    if (what_.branch)
      latent[what_.branch->axis] = what_.branch->at;
  }

  std::vector<cube_point> candidates() {
    std::vector<cube_point> result;
    for (std::size_t i = 0; i < random_candidates; ++i)
      result.push_back(space_.random(from_));
    for (std::size_t k = 0; k < std::min(good_ones, what_.around.size()); ++k) {
      for (std::size_t i = 0; i < around_each; ++i)
        result.push_back(neighbour(what_.around[k]));
    }
    for (const auto& x : what_.elsewhere) {
      result.push_back(space_.filled(x, from_));
      for (std::size_t i = 1; i < beside_each; ++i)
        result.push_back(neighbour(x));
    }
    for (std::size_t k = 0; k < std::min(most_inside, what_.inside.size()); ++k) {
      for (std::size_t i = 0; i < inside_each; ++i) {
        result.push_back(space_.filled(what_.inside[k], from_));
        space_.mutate(result.back(), 0.15, 1, from_);
      }
    }
    for (auto& x : result)
      fix(x);
    return result;
  }

  cube_point neighbour(const cube_point& of) {
    auto result = space_.filled(of, from_);
    auto step = 0.3 * std::pow(0.03, from_.unit());
    if (from_.unit() < 0.5)
      space_.mutate(result, step, 1 + static_cast<std::size_t>(from_.below(3)), from_);
    else
      space_.shift(result, step, from_);
    return result;
  }

  [[nodiscard]] std::vector<double> scores(const std::vector<cube_point>& latents,
                                           std::vector<cube_point>& canonicals) const {
    canonicals.clear();
    for (const auto& x : latents)
      canonicals.push_back(space_.canonical(x));
    return log_improvements(what_, canonicals);
  }

  /// The best candidates that differ from each other and from points that are taken.
  std::vector<climber> begin() {
    auto all = candidates();
    std::vector<cube_point> canonicals;
    auto values = scores(all, canonicals);
    std::vector<std::size_t> order(all.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](auto a, auto b) { return values[a] > values[b]; });
    std::vector<climber> result;
    std::unordered_set<std::uint64_t> had;
    for (auto i : order) {
      if (result.size() == local_searches)
        break;
      if (!what_.is_taken(canonicals[i]) && had.insert(space_.key(canonicals[i])).second)
        result.push_back({std::move(all[i]), values[i]});
    }
    return result;
  }

  cube_point child(const climber& of, std::size_t number) {
    auto result = of.latent;
    auto step = of.step * std::pow(0.2, 1.5 * from_.unit());
    if (number % 2 == 1)
      space_.mutate(result, step, from_.unit() < 0.4 ? 2 : 1, from_);
    else
      space_.shift(result, step, from_);
    fix(result);
    return result;
  }

  /// One round. All children are predicted in one batch, which costs less.
  void climb(std::vector<climber>& climbers) {
    std::vector<cube_point> all;
    for (const auto& x : climbers) {
      for (std::size_t i = 0; i < children; ++i)
        all.push_back(child(x, i));
    }
    std::vector<cube_point> canonicals;
    auto values = scores(all, canonicals);
    for (std::size_t k = 0; k < climbers.size(); ++k) {
      auto& x = climbers[k];
      auto better = false;
      for (auto i = k * children; i < (k + 1) * children; ++i) {
        if (values[i] > x.score && !what_.is_taken(canonicals[i])) {
          x.score = values[i];
          x.latent = all[i];
          better = true;
        }
      }
      x.step
          = better ? std::min(longest_step, x.step * 1.2) : std::max(shortest_step, x.step * 0.7);
    }
  }
};

} // namespace

std::vector<double> log_improvements(const quest& what, const std::vector<cube_point>& canonical) {
  inputs at{*what.space};
  for (const auto& x : canonical)
    at.add(x);
  std::vector<double> means;
  std::vector<double> variances;
  what.by->predict(at, means, variances);
  for (std::size_t i = 0; i < means.size(); ++i) {
    auto deviation = std::sqrt(variances[i]);
    means[i] = log_improvement((what.best - means[i]) / deviation) + std::log(deviation);
  }
  return means;
}

std::optional<cube_point> most_promising(const quest& what, rng& from) {
  return search{what, from}.run();
}

} // namespace tune::gp
