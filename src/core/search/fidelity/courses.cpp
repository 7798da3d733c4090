// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/search/fidelity/courses.hpp"

#include "tune/core/search/excess_noise.hpp"

#include <Eigen/Cholesky>
#include <Eigen/Core>

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

namespace tune::fidelity {

namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

/// Penalties of the intercept and of all other weights.
constexpr double intercept_penalty = 0.1;
constexpr double weight_penalty = 3;
constexpr double most_leverage = 0.9;
/// Limits of one step, as shares of the value: down, and up.
constexpr double most_gain = 1;
constexpr double most_loss = 0.2;
constexpr double tiny = 1e-12;

/// Level of a report of this fidelity: the least k with fidelity ≤ 2^k.
std::size_t level_of(std::uint64_t fidelity) {
  return fidelity <= 1 ? 0 : static_cast<std::size_t>(std::bit_width(fidelity - 1));
}

bool keeps_constraints(const observation& what) {
  return std::all_of(what.constraints.begin(), what.constraints.end(),
                     [](double x) { return x <= 0; });
}

/// Features of a configuration and of its value so far.
class features {
public:
  explicit features(const encoding& space) : space_{space} {
    for (std::size_t i = 0; i < space.dimensions(); ++i) {
      begins_.push_back(count_);
      const auto& axis = space.at(i);
      count_ += axis.is_category() ? static_cast<Index>(axis.cells()) : 2;
    }
  }

  /// Feature vector: the intercept first, the value so far last.
  [[nodiscard]] VectorXd of(const cube_point& at, double so_far) const {
    VectorXd result = VectorXd::Zero(count_ + 1);
    result[0] = 1;
    for (std::size_t i = 0; i < at.size(); ++i) {
      if (std::isnan(at[i]))
        continue;
      if (space_.at(i).is_category()) {
        result[begins_[i] + static_cast<Index>(at[i])] = 1;
      } else {
        result[begins_[i]] = at[i] - 0.5;
        result[begins_[i] + 1] = (at[i] - 0.5) * (at[i] - 0.5);
      }
    }
    result[count_] = so_far;
    return result;
  }
  [[nodiscard]] Index count() const { return count_ + 1; }

private:
  const encoding& space_;
  std::vector<Index> begins_;
  Index count_ = 1;
};

/// Regression from one level to the next.
struct link {
  VectorXd weights;
  double middle = 0;
  double deviation = 1;
  double shift = 0;
  double scale = 1;
  double variance = 0;

  [[nodiscard]] bool is_known() const { return weights.size() > 0; }
  [[nodiscard]] double change(const features& by, const cube_point& at, double y) const {
    return shift + scale * by.of(at, (y - middle) / deviation).dot(weights);
  }
};

bool has(const course& x, std::size_t level) {
  return level < x.levels.size() && !std::isnan(x.levels[level]);
}

struct step {
  const cube_point* at;
  double from;
  double change;
};

double mean_of(const std::vector<step>& all, double step::*part) {
  return std::accumulate(all.begin(), all.end(), 0.0,
                         [&](double sum, const step& x) { return sum + x.*part; })
         / static_cast<double>(all.size());
}

link learnt(const features& by, const std::vector<step>& all) {
  link result;
  result.middle = mean_of(all, &step::from);
  result.shift = mean_of(all, &step::change);
  double square = 0;
  double spread = 0;
  auto count = static_cast<double>(all.size());
  for (const auto& x : all) {
    square += (x.from - result.middle) * (x.from - result.middle) / count;
    spread += std::abs(x.change - result.shift) / count;
  }
  result.deviation = std::sqrt(square) + tiny;
  result.scale = spread + tiny;
  MatrixXd matrix = MatrixXd::Identity(by.count(), by.count()) * weight_penalty;
  matrix(0, 0) = intercept_penalty;
  VectorXd right = VectorXd::Zero(by.count());
  auto row
      = [&](const step& x) { return by.of(*x.at, (x.from - result.middle) / result.deviation); };
  for (const auto& x : all) {
    auto f = row(x);
    matrix.selfadjointView<Eigen::Lower>().rankUpdate(f);
    right += f * ((x.change - result.shift) / result.scale);
  }
  Eigen::LDLT<MatrixXd> solver{matrix.selfadjointView<Eigen::Lower>()};
  result.weights = solver.solve(right);
  double errors = 0;
  for (const auto& x : all) {
    auto f = row(x);
    auto leverage = std::min(most_leverage, f.dot(solver.solve(f)));
    auto error
        = ((x.change - result.shift) / result.scale - f.dot(result.weights)) / (1 - leverage);
    errors += error * error;
  }
  result.variance = result.scale * result.scale * (errors + 1) / (count + 1);
  return result;
}

std::vector<link> links_of(const features& by, const std::map<trial_id, course>& courses) {
  std::size_t levels = 0;
  for (const auto& [id, x] : courses)
    levels = std::max(levels, x.levels.size());
  std::vector<link> result(levels);
  for (std::size_t k = 0; k + 1 < levels; ++k) {
    std::vector<step> all;
    for (const auto& [id, x] : courses) {
      if (has(x, k) && has(x, k + 1))
        all.push_back({&x.at, x.levels[k], x.levels[k + 1] - x.levels[k]});
    }
    if (!all.empty())
      result[k] = learnt(by, all);
  }
  return result;
}

} // namespace

std::uint64_t budget_of(std::uint64_t fidelity) {
  constexpr int exact_bits = 6;
  if (fidelity <= 1)
    return 1;
  auto bits = std::bit_width(fidelity - 1) - exact_bits;
  auto step = std::uint64_t{1} << std::max(0, static_cast<int>(bits));
  return (fidelity - 1) / step * step + step;
}

std::optional<double> course::value_at(std::uint64_t budget) const {
  auto found = std::lower_bound(budgets.begin(), budgets.end(), budget,
                                [](const sighting& x, auto y) { return x.budget < y; });
  if (found == budgets.end() || found->budget != budget)
    return std::nullopt;
  return found->value;
}

void course::note(std::uint64_t fidelity, double value) {
  auto level = level_of(fidelity);
  levels.resize(std::max(levels.size(), level + 1), inactive);
  levels[level] = value;
  auto budget = budget_of(fidelity);
  auto found = std::lower_bound(budgets.begin(), budgets.end(), budget,
                                [](const sighting& x, auto y) { return x.budget < y; });
  if (found != budgets.end() && found->budget == budget)
    found->value = value;
  else
    budgets.insert(found, {budget, value});
}

void course_book::apply(const searcher_fact& what) {
  if (const auto* seen = std::get_if<observation>(&what.what))
    take(*seen);
}

void course_book::take(const observation& what) {
  if (what.how == outcome::lost || what.how == outcome::removed) {
    courses_.erase(what.trial);
    return;
  }
  auto value = what.values.empty() ? inactive : -what.values.front();
  auto is_bad = what.how == outcome::failed || what.diverged;
  if (!std::isfinite(value) && !is_bad)
    return;
  auto at = what.config != nullptr ? space_->encoded(*what.config) : std::nullopt;
  if (!at)
    return;
  auto& x = courses_.try_emplace(what.trial, course{*at, what.lineage}).first->second;
  // Compared by key: inactive coordinates are NaN, which does not equal itself.
  if (x.lineage != what.lineage || space_->key(x.at) != space_->key(*at))
    x = course{std::move(*at), what.lineage};
  x.is_whole = what.how == outcome::completed;
  x.is_bad = is_bad || !keeps_constraints(what);
  x.spread = what.spread;
  if (!std::isfinite(value))
    return;
  x.note(what.fidelity, value);
}

std::vector<outcome_estimate> extrapolated(const encoding& space,
                                           const std::map<trial_id, course>& courses) {
  features by{space};
  auto links = links_of(by, courses);
  std::vector<std::optional<run_spread>> spreads;
  for (const auto& [id, x] : courses)
    spreads.push_back(x.spread);
  auto noise = excess_noise(spreads);
  std::vector<outcome_estimate> result;
  for (std::size_t next = 0; const auto& [id, x] : courses) {
    outcome_estimate made{x.at, inactive, noise[next++], x.is_bad, id, x.is_whole};
    if (!x.is_bad && !x.levels.empty()) {
      made.value = x.levels.back();
      auto begin = x.is_whole ? links.size() : x.levels.size() - 1;
      for (auto k = begin; k + 1 < links.size(); ++k) {
        if (!links[k].is_known())
          continue;
        auto size = std::abs(made.value);
        made.value += std::clamp(links[k].change(by, x.at, made.value), -most_gain * size,
                                 most_loss * size + tiny);
        made.variance += links[k].variance;
      }
    }
    if (made.is_bad || !std::isnan(made.value))
      result.push_back(std::move(made));
  }
  return result;
}

} // namespace tune::fidelity
