// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/search/cma_es/strategy.hpp"

#include "tune/core/search/learner/ranking.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tune::cma_es {

namespace {

using learning::ending;

/// More tries would keep draws away from corners, where the best often lies.
constexpr int most_tries = 3;
/// Ends of a run: floats are found once their deviation is below this share of their range,
constexpr double least_deviation = 1e-5;
/// the best values of recent generations are equal up to rounding,
constexpr double least_gain = 1e-12;
/// or C is too ill-conditioned, or σ has run away.
constexpr double most_condition = 1e14;
constexpr double most_growth = 1e4;

/// Of more values than this the distribution never becomes so narrow that it needs margins, and
/// their numbers no longer fit a double.
constexpr double most_cells = 1e12;

/// Whether it is a number of so few values that the distribution keeps margins.
bool has_cells(const axis& x) {
  return x.is_finite() && !x.is_category() && x.cells() <= most_cells;
}

/// Border half way between values number `i` and `i + 1`.
double border(const axis& x, double i) {
  return 0.5 * (x.coordinate_of_cell(i) + x.coordinate_of_cell(i + 1));
}

/// Number of the value nearest to a coordinate, which may be outside of the cube.
double nearest_cell(const axis& x, double u) {
  double low = 0;
  double high = x.cells() - 1;
  while (low < high) {
    auto middle = std::floor((low + high) / 2);
    if (u <= border(x, middle))
      high = middle;
    else
      low = middle + 1;
  }
  return low;
}

/// Number of generations that may have the same best value.
std::size_t patience(const constants& how) {
  auto n = static_cast<double>(how.dimensions);
  return 10 + static_cast<std::size_t>(std::ceil(30 * n / static_cast<double>(how.population)));
}

vector numbers_of(const layout& axes, const cube_point& at) {
  vector result;
  for (auto i : axes.numbers)
    result.push_back(at[i]);
  return result;
}

} // namespace

layout::layout(const encoding& space) {
  for (std::size_t i = 0; i < space.dimensions(); ++i)
    (space.at(i).is_category() ? categories : numbers).push_back(i);
}

namespace {

bool are_equal(const learning::result& a, const learning::result& b) {
  if (a.how != ending::finished || b.how != ending::finished)
    return a.how == b.how;
  return a.value == b.value && a.missed == b.missed;
}

/// Replaces the members of each group of equal results by their mean.
void level(vector& what, std::span<const learning::result> of,
           const std::vector<std::size_t>& order) {
  for (std::size_t i = 0; i < order.size();) {
    auto end = i + 1;
    while (end < order.size() && are_equal(of[order[i]], of[order[end]]))
      ++end;
    double sum = 0;
    for (auto k = i; k < end; ++k)
      sum += what[k];
    if (end > i + 1)
      std::fill(what.begin() + static_cast<std::ptrdiff_t>(i),
                what.begin() + static_cast<std::ptrdiff_t>(end),
                sum / static_cast<double>(end - i));
    i = end;
  }
}

} // namespace

verdict judge(std::span<const learning::result> of, std::size_t parents, const vector& weights) {
  verdict made;
  made.best_first = learning::ranking(of);
  for (auto how : {ending::stopped, ending::failed}) {
    for (std::size_t i = 0; i < of.size(); ++i) {
      if (of[i].how == how)
        made.best_first.push_back(i);
    }
  }
  made.by.shape = weights;
  made.by.mean = weights;
  std::fill(made.by.mean.begin() + static_cast<std::ptrdiff_t>(parents), made.by.mean.end(), 0);
  level(made.by.mean, of, made.best_first);
  level(made.by.shape, of, made.best_first);
  return made;
}

strategy::strategy(const encoding& space, const start& from)
    : space_{&space}
    , axes_{space}
    , how_{constants::of(std::max<std::size_t>(1, axes_.numbers.size()), from.population)}
    , normal_{how_, axes_.numbers.empty() ? vector{0.5} : numbers_of(axes_, from.mean), from.sigma,
              from.covariance}
    , first_sigma_{from.sigma} {
  for (auto i : axes_.categories)
    chances_.emplace_back(static_cast<std::size_t>(space.at(i).cells()), 1 / space.at(i).cells());
  keep_margins();
}

bool strategy::is_inside(const vector& at) const {
  for (std::size_t k = 0; k < axes_.numbers.size(); ++k) {
    if (!has_cells(space_->at(axes_.numbers[k])) && (at[k] < 0 || at[k] > 1))
      return false;
  }
  return true;
}

vector strategy::drawn_names(rng& from) const {
  vector result;
  for (const auto& chances : chances_) {
    auto left = from.unit();
    std::size_t i = 0;
    while (i + 1 < chances.size() && left >= chances[i])
      left -= chances[i++];
    result.push_back(static_cast<double>(i));
  }
  return result;
}

sample strategy::draw(rng& from) const {
  sample made;
  made.generation = normal_.generation();
  made.names = drawn_names(from);
  vector z(axes_.numbers.size());
  if (z.empty()) {
    made.at = normal_.mean();
    return made;
  }
  for (int i = 0; i < most_tries; ++i) {
    for (auto& x : z)
      x = from.normal();
    made.at = normal_.at(z);
    if (is_inside(made.at))
      return made;
  }
  for (std::size_t k = 0; k < z.size(); ++k) {
    if (!has_cells(space_->at(axes_.numbers[k])))
      made.at[k] = std::clamp(made.at[k], 0.0, 1.0);
  }
  return made;
}

sample strategy::middle(rng& from) const {
  return {normal_.mean(), drawn_names(from), normal_.generation(), true};
}

sample strategy::given(const cube_point& canonical) const {
  sample made{normal_.mean(), {}, normal_.generation(), false};
  for (std::size_t k = 0; k < axes_.numbers.size(); ++k) {
    auto u = canonical[axes_.numbers[k]];
    if (!std::isnan(u))
      made.at[k] = normal_.shrunk(k, u);
  }
  for (auto i : axes_.categories)
    made.names.push_back(canonical[i]);
  return made;
}

cube_point strategy::canonical(const sample& of) const {
  cube_point latent(space_->dimensions());
  for (std::size_t k = 0; k < axes_.numbers.size(); ++k) {
    auto i = axes_.numbers[k];
    const auto& x = space_->at(i);
    auto u = normal_.stretched(k, of.at[k]);
    latent[i] = has_cells(x) ? x.coordinate_of_cell(nearest_cell(x, u)) : u;
  }
  for (std::size_t k = 0; k < axes_.categories.size(); ++k)
    latent[axes_.categories[k]] = of.names[k];
  return space_->canonical(latent);
}

void strategy::take(const sample& of, learning::result what) {
  members_.push_back(of);
  results_.push_back(std::move(what));
  if (members_.size() < how_.population)
    return;
  learn();
  members_.clear();
  results_.clear();
}

void strategy::learn() {
  auto found = judge(results_, how_.parents, how_.weights);
  const auto& best = results_[found.best_first.front()];
  lost_ = best.how != ending::finished;
  if (lost_) {
    over_ = true;
    return;
  }
  std::vector<member> all;
  for (auto i : found.best_first) {
    const auto& x = members_[i];
    all.push_back({x.at, x.drawn && x.generation == normal_.generation()});
  }
  if (!axes_.numbers.empty())
    normal_.learn(how_, all, found.by);
  learn_names(found);
  keep_margins();
  bests_.push_back(best.value);
  if (bests_.size() > patience(how_))
    bests_.pop_front();
  over_ = is_done();
}

void strategy::keep_margins() {
  auto margin = 1 / static_cast<double>(how_.dimensions * how_.population);
  for (std::size_t k = 0; k < axes_.numbers.size(); ++k) {
    const auto& x = space_->at(axes_.numbers[k]);
    if (!has_cells(x))
      continue;
    auto cell = nearest_cell(x, normal_.mean()[k]);
    auto last = x.cells() - 2;
    normal_.keep_margin(k, border(x, std::clamp(cell - 1, 0.0, last)),
                        border(x, std::min(cell, last)), margin);
  }
}

void strategy::learn_names(const verdict& from) {
  for (std::size_t k = 0; k < chances_.size(); ++k) {
    auto& chances = chances_[k];
    auto count = static_cast<double>(chances.size());
    auto rate = how_.mu_eff / (2 * (count + how_.mu_eff));
    auto before = chances;
    for (std::size_t r = 0; r < from.best_first.size(); ++r) {
      auto name = members_[from.best_first[r]].names[k];
      if (std::isnan(name))
        continue;
      for (std::size_t c = 0; c < chances.size(); ++c)
        chances[c] += rate * from.by.mean[r] * ((c == static_cast<std::size_t>(name)) - before[c]);
    }
    auto least = 1
                 / (static_cast<double>(how_.population * space_->dimensions())
                    * std::max(1.0, count - 1));
    double sum = 0;
    for (auto& x : chances)
      sum += x = std::max(x, least);
    for (auto& x : chances)
      x /= sum;
  }
}

bool strategy::is_done() const {
  if (bests_.size() == patience(how_)) {
    auto [low, high] = std::minmax_element(bests_.begin(), bests_.end());
    if (*high - *low <= least_gain * std::max(std::abs(*low), std::abs(*high)))
      return true;
  }
  if (normal_.condition() > most_condition || normal_.widest() > most_growth * first_sigma_)
    return true;
  auto floats = 0;
  for (std::size_t k = 0; k < axes_.numbers.size(); ++k) {
    if (has_cells(space_->at(axes_.numbers[k])))
      continue;
    ++floats;
    if (normal_.deviation(k) >= least_deviation)
      return false;
  }
  return floats > 0;
}

void strategy::describe(fingerprint& into) const {
  into.add(std::uint64_t{normal_.generation()}).add(normal_.sigma());
  for (auto x : normal_.mean())
    into.add(x);
  for (auto x : normal_.covariance())
    into.add(x);
  for (const auto& chances : chances_) {
    for (auto x : chances)
      into.add(x);
  }
  into.add(std::uint64_t{results_.size()});
}

} // namespace tune::cma_es
