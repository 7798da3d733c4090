// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/search/importance/ped_anova.hpp"

#include "tune/core/rng.hpp"
#include "tune/core/search/encoding/axis.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <utility>

namespace tune {

namespace {

constexpr std::size_t fewest_trials = 10;
constexpr std::size_t grid_points = 50;
constexpr std::size_t drawings = 100;

/// A parameter's values on a grid, by trial, the best first.
struct column {
  std::size_t cells = grid_points;
  bool is_category = false;
  std::vector<std::size_t> cell_of = {};

  [[nodiscard]] std::vector<double> counts(std::size_t best) const {
    std::vector<double> result(cells);
    for (std::size_t i = 0; i < best; ++i)
      ++result[cell_of[i]];
    return result;
  }
};

/// Scott's rule with the more robust of two deviations. [cells of the grid]
double bandwidth_of(const std::vector<double>& counts, double total) {
  double mean = 0;
  for (std::size_t i = 0; i < counts.size(); ++i)
    mean += counts[i] * static_cast<double>(i) / total;
  double variance = 0;
  for (std::size_t i = 0; i < counts.size(); ++i)
    variance += counts[i] * std::pow(static_cast<double>(i) - mean, 2) / std::max(total - 1, 1.0);
  auto quantile = [&](double share) {
    double seen = 0;
    std::size_t i = 0;
    while (i + 1 < counts.size() && (seen += counts[i]) < share * total)
      ++i;
    return static_cast<double>(i);
  };
  auto spread = std::sqrt(variance);
  if (auto range = (quantile(0.75) - quantile(0.25)) / 1.34; range > 0)
    spread = std::min(spread, range);
  return std::max(1.0, 1.06 * spread * std::pow(total, -0.2));
}

/// Contribution of a trial in one cell to all cells.
std::vector<double> kernel(std::size_t at, std::size_t cells, double bandwidth) {
  std::vector<double> result(cells);
  double sum = 0;
  for (std::size_t i = 0; i < cells; ++i) {
    auto far = (static_cast<double>(i) - static_cast<double>(at)) / bandwidth;
    sum += result[i] = std::exp(-0.5 * far * far);
  }
  for (auto& x : result)
    x /= sum;
  return result;
}

std::vector<double> density_of(const column& of, const std::vector<double>& counts) {
  auto cells = counts.size();
  auto total = std::accumulate(counts.begin(), counts.end(), 0.0);
  std::vector<double> result(cells, 1 / static_cast<double>(cells));
  auto bandwidth = of.is_category ? 0 : bandwidth_of(counts, total);
  for (std::size_t at = 0; at < cells; ++at) {
    if (counts[at] == 0)
      continue;
    if (of.is_category) {
      result[at] += counts[at];
      continue;
    }
    auto near = kernel(at, cells, bandwidth);
    for (std::size_t i = 0; i < cells; ++i)
      result[i] += counts[at] * near[i];
  }
  for (auto& x : result)
    x /= total + 1;
  return result;
}

double divergence_of(const std::vector<double>& best, const std::vector<double>& all) {
  double result = 0;
  for (std::size_t i = 0; i < all.size(); ++i)
    result += all[i] * std::pow(best[i] / all[i] - 1, 2);
  return result;
}

/// Divergence that random sets of `best` trials rarely exceed.
double by_chance(const column& of, const std::vector<double>& all, std::size_t best, rng chance) {
  std::vector<double> found;
  auto trials = of.cell_of;
  for (std::size_t drawing = 0; drawing < drawings; ++drawing) {
    std::vector<double> counts(of.cells);
    for (std::size_t i = 0; i < best; ++i) {
      auto left = trials.size() - i;
      auto other = i + static_cast<std::size_t>(chance.below(left));
      std::swap(trials[i], trials[other]);
      ++counts[trials[i]];
    }
    found.push_back(divergence_of(density_of(of, counts), all));
  }
  auto at = found.begin() + drawings * 95 / 100;
  std::nth_element(found.begin(), at, found.end());
  return *at;
}

/// Axis of a parameter. A grid is treated as a choice. Where a range depends on others, the value
/// counts, not its place in the range.
std::optional<axis> axis_of(const domain& widest) {
  if (const auto* grid = std::get_if<grid_of>(&widest))
    return axis::make(choice_of{grid->options});
  return axis::make(widest);
}

std::size_t cells_of(const axis& x) {
  auto few = x.is_finite() && (x.is_category() || x.cells() <= grid_points);
  return few ? static_cast<std::size_t>(x.cells()) : grid_points;
}

std::size_t cell_of(const axis& x, double at, std::size_t cells) {
  if (x.is_category())
    return static_cast<std::size_t>(at);
  auto cell = static_cast<std::size_t>(std::max(at, 0.0) * static_cast<double>(cells));
  return std::min(cell, cells - 1);
}

/// Values of a parameter: cells, coordinates and the values themselves, all by trial, the best
/// first. The values stay those of the configurations.
struct measured_column {
  axis on;
  column cells;
  std::vector<double> coordinates;
  std::vector<const value*> values;
};

/// Empty if the parameter has a single value.
std::optional<measured_column>
column_of(const search_space& space, std::size_t number,
          const std::vector<std::shared_ptr<const object>>& best_first) {
  const auto& of = space.parameters()[number];
  auto on = axis_of(space.widest(number));
  if (!on)
    return std::nullopt;
  measured_column result{*on, {cells_of(*on), on->is_category()}, {}, {}};
  for (const auto& config : best_first) {
    const auto* given = find_parameter(*config, of.name);
    auto at = given == nullptr ? std::nullopt : on->coordinate(*given);
    if (!at)
      continue;
    result.cells.cell_of.push_back(cell_of(*on, *at, result.cells.cells));
    result.coordinates.push_back(*at);
    result.values.push_back(given);
  }
  return result;
}

parameter_standing standing_in(const parameter& of, const measured_column& what,
                               double best_share) {
  parameter_standing result;
  result.parameter = of.name;
  result.trials = what.coordinates.size();
  if (result.trials < fewest_trials)
    return result;
  auto wanted = std::ceil(best_share * static_cast<double>(result.trials));
  result.best = std::clamp<std::size_t>(static_cast<std::size_t>(wanted), 2, result.trials - 1);
  if (what.on.is_category()) {
    auto counts = what.cells.counts(result.best);
    auto most = std::max_element(counts.begin(), counts.end());
    result.from = result.to = what.on.at(static_cast<double>(most - counts.begin()));
    return result;
  }
  std::vector<std::size_t> ordered(result.best);
  std::iota(ordered.begin(), ordered.end(), std::size_t{0});
  std::stable_sort(ordered.begin(), ordered.end(), [&](std::size_t a, std::size_t b) {
    return what.coordinates[a] < what.coordinates[b];
  });
  // Not computed from the coordinate: that would not be the trial's value to the last digit.
  auto at = [&](double share) {
    auto last = static_cast<double>(ordered.size() - 1);
    return *what.values[ordered[static_cast<std::size_t>(std::lround(share * last))]];
  };
  result.from = at(0.1);
  result.to = at(0.9);
  return result;
}

/// @param often Share of all trials that have the parameter.
parameter_importance measured(const parameter& of, const measured_column& what, double often,
                              const importance_settings& how) {
  parameter_importance result;
  result.where = standing_in(of, what, how.best_share);
  auto best = result.where.best;
  if (best == 0)
    return result;
  const auto& cells = what.cells;
  auto all = density_of(cells, cells.counts(result.where.trials));
  result.divergence = often * divergence_of(density_of(cells, cells.counts(best)), all);
  result.by_chance = often * by_chance(cells, all, best, {how.seed, of.name, 0});
  return result;
}

} // namespace

std::optional<error> refuse(const importance_settings& how, std::size_t trials) {
  if (!(how.best_share > 0 && how.best_share < 1))
    return error{ec::bad_option, "the share of the best must be between 0 and 1"};
  if (trials < fewest_trials)
    return error{ec::bad_option, std::to_string(trials)
                                     + (trials == 1 ? " configuration has" : " configurations have")
                                     + " a result, " + std::to_string(fewest_trials)
                                     + " are needed"};
  return std::nullopt;
}

parameter_standing standing_of(const search_space& space, std::size_t number,
                               const std::vector<std::shared_ptr<const object>>& best_first,
                               double best_share) {
  const auto& of = space.parameters()[number];
  auto found = column_of(space, number, best_first);
  return found ? standing_in(of, *found, best_share) : parameter_standing{of.name};
}

expected<std::vector<parameter_importance>>
ped_anova(const search_space& space, const std::vector<std::shared_ptr<const object>>& best_first,
          const importance_settings& how) {
  if (auto wrong = refuse(how, best_first.size()))
    return *wrong;
  std::vector<parameter_importance> result;
  double sum = 0;
  for (std::size_t i = 0; i < space.parameters().size(); ++i) {
    const auto& x = space.parameters()[i];
    auto found = column_of(space, i, best_first);
    if (!found || x.numbers_runs)
      continue;
    auto often
        = static_cast<double>(found->coordinates.size()) / static_cast<double>(best_first.size());
    result.push_back(measured(x, *found, often, how));
    sum += result.back().divergence;
  }
  for (auto& x : result)
    x.share = sum > 0 ? x.divergence / sum : 0;
  std::stable_sort(result.begin(), result.end(),
                   [](const auto& a, const auto& b) { return a.divergence > b.divergence; });
  return result;
}

} // namespace tune
