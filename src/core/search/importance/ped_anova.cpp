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

/// Axes of a parameter. A grid is treated as a choice. Where a range depends on others, the value
/// counts, not its place in the range.
std::vector<axis> axes_of(const domain& widest) {
  if (const auto* grid = std::get_if<grid_of>(&widest))
    return axis::make_all(choice_of{grid->options});
  return axis::make_all(widest);
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

/// Values of a parameter by trial, the best first: the values themselves, which stay those of the
/// configurations, and their places on each axis. [>= 1 axis]
struct measured_column {
  std::vector<axis> on;
  std::vector<column> parts;
  /// By axis, then by trial.
  std::vector<std::vector<double>> coordinates;
  std::vector<const value*> values;
  /// Weight of the sum over the axes. The ranks of K items are K (K - 1) differences of which
  /// (K - 1)^2 are free.
  /// @source Anderson, "Tests of Significance for Contingency Tables with Ranks", 1959: his
  ///         statistic is the sum over items times (K - 1) / K.
  double weight = 1;
  bool is_list = false;
  /// Whether the user has put the values in an order: theirs, not that of numbers.
  bool is_ordinal = false;

  /// Values of another kind are left out.
  void add(const value& x, const domain& widest) {
    auto one = is_list ? std::nullopt : on.front().coordinate(x);
    auto at = one ? std::vector{*one} : list_coordinates(widest, x).value_or(std::vector<double>{});
    for (std::size_t i = 0; i < at.size(); ++i) {
      parts[i].cell_of.push_back(cell_of(on[i], at[i], parts[i].cells));
      coordinates[i].push_back(at[i]);
    }
    if (!at.empty())
      values.push_back(&x);
  }
};

/// Empty if the parameter has a single value.
std::optional<measured_column>
column_of(const search_space& space, std::size_t number,
          const std::vector<std::shared_ptr<const object>>& best_first) {
  const auto& of = space.parameters()[number];
  auto widest = space.widest(number);
  measured_column result{axes_of(widest), {}, {}, {}};
  if (result.on.empty())
    return std::nullopt;
  result.is_list
      = std::holds_alternative<permutation_of>(widest) || std::holds_alternative<subset_of>(widest);
  const auto* choice = std::get_if<choice_of>(&widest);
  result.is_ordinal = choice != nullptr && choice->ordered;
  if (const auto* order = std::get_if<permutation_of>(&widest))
    result.weight = 1 - 1 / static_cast<double>(order->items.size());
  for (const auto& x : result.on)
    result.parts.push_back({cells_of(x), x.is_category()});
  result.coordinates.resize(result.on.size());
  for (const auto& config : best_first) {
    if (const auto* given = find_parameter(*config, of.name))
      result.add(*given, widest);
  }
  return result;
}

/// The index of the one of the best lists that differs least from the others: by members, or by
/// ranks. The better of equal ones.
std::size_t most_alike(const measured_column& what, std::size_t best) {
  std::vector<double> differences(best);
  for (const auto& part : what.parts) {
    auto counts = part.counts(best);
    for (std::size_t i = 0; i < best; ++i) {
      for (std::size_t cell = 0; cell < part.cells; ++cell) {
        auto gap = static_cast<double>(cell) - static_cast<double>(part.cell_of[i]);
        differences[i] += counts[cell] * std::abs(gap);
      }
    }
  }
  auto least = std::min_element(differences.begin(), differences.end());
  return static_cast<std::size_t>(least - differences.begin());
}

/// The tenth and ninetieth percentile of the best. A list of numbers that falls has them from the
/// lesser to the greater, too, unless it is an ordinal.
void set_range(const measured_column& what, parameter_standing& of) {
  const auto& coordinates = what.coordinates.front();
  std::vector<std::size_t> ordered(of.best);
  std::iota(ordered.begin(), ordered.end(), std::size_t{0});
  std::stable_sort(ordered.begin(), ordered.end(),
                   [&](std::size_t a, std::size_t b) { return coordinates[a] < coordinates[b]; });
  // Not computed from the coordinate: that would not be the trial's value to the last digit.
  auto at = [&](double share) {
    auto last = static_cast<double>(ordered.size() - 1);
    return *what.values[ordered[static_cast<std::size_t>(std::lround(share * last))]];
  };
  of.from = at(0.1);
  of.to = at(0.9);
  if (!what.is_ordinal && of.from.number() > of.to.number())
    std::swap(of.from, of.to);
}

parameter_standing standing_in(const parameter& of, const measured_column& what,
                               double best_share) {
  parameter_standing result;
  result.parameter = of.name;
  result.trials = what.values.size();
  if (result.trials < fewest_trials)
    return result;
  auto wanted = std::ceil(best_share * static_cast<double>(result.trials));
  result.best = std::clamp<std::size_t>(static_cast<std::size_t>(wanted), 2, result.trials - 1);
  if (what.is_list) {
    result.from = result.to = *what.values[most_alike(what, result.best)];
  } else if (what.on.front().is_category()) {
    auto counts = what.parts.front().counts(result.best);
    auto most = std::max_element(counts.begin(), counts.end());
    result.from = result.to = what.on.front().at(static_cast<double>(most - counts.begin()));
  } else {
    set_range(what, result);
  }
  return result;
}

/// Divergence between sets of trials and all trials.
class divergence_from_all {
public:
  explicit divergence_from_all(const measured_column& what) : what_{what} {
    for (const auto& part : what.parts)
      all_.push_back(density_of(part, part.counts(what.values.size())));
  }

  /// @param trials The first `best` of these.
  [[nodiscard]] double of(const std::vector<std::size_t>& trials, std::size_t best) const {
    double result = 0;
    for (std::size_t i = 0; i < all_.size(); ++i) {
      const auto& part = what_.parts[i];
      std::vector<double> counts(part.cells);
      for (std::size_t k = 0; k < best; ++k)
        ++counts[part.cell_of[trials[k]]];
      result += divergence_of(density_of(part, counts), all_[i]);
    }
    return what_.weight * result;
  }

private:
  const measured_column& what_;
  /// Densities of all trials, by axis.
  std::vector<std::vector<double>> all_;
};

/// Divergence that random sets of `best` trials rarely exceed.
double by_chance(const divergence_from_all& from, std::vector<std::size_t> trials, std::size_t best,
                 rng chance) {
  std::vector<double> found;
  for (std::size_t drawing = 0; drawing < drawings; ++drawing) {
    for (std::size_t i = 0; i < best; ++i) {
      auto left = trials.size() - i;
      auto other = i + static_cast<std::size_t>(chance.below(left));
      std::swap(trials[i], trials[other]);
    }
    found.push_back(from.of(trials, best));
  }
  auto at = found.begin() + drawings * 95 / 100;
  std::nth_element(found.begin(), at, found.end());
  return *at;
}

/// @param often Share of all trials that have the parameter.
parameter_importance measured(const parameter& of, const measured_column& what, double often,
                              const importance_settings& how) {
  parameter_importance result;
  result.where = standing_in(of, what, how.best_share);
  auto best = result.where.best;
  if (best == 0)
    return result;
  divergence_from_all from{what};
  std::vector<std::size_t> trials(what.values.size());
  std::iota(trials.begin(), trials.end(), std::size_t{0});
  result.divergence = often * from.of(trials, best);
  result.by_chance = often * by_chance(from, std::move(trials), best, {how.seed, of.name, 0});
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
    auto often = static_cast<double>(found->values.size()) / static_cast<double>(best_first.size());
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
