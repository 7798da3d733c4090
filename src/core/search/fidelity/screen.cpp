// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/search/fidelity/screen.hpp"

#include "tune/core/search/gp/acquisition.hpp"
#include "tune/core/search/gp/targets.hpp"
#include "tune/core/search/learner/workbook.hpp"

#include <algorithm>
#include <cmath>

namespace tune::fidelity {

namespace {

using learning::distance_between;
using learning::outlook;
using learning::pick;

constexpr std::size_t least_known = 5;
constexpr std::size_t candidates = 60;
constexpr int tries = 600;
constexpr std::uint64_t random_period = 5;
/// Values are capped at the median plus this many times its distance from the best tenth.
constexpr double most_beyond = 1.5;
constexpr double most_noise = 2;
/// If there are many trials, the kernel is fitted to some, and predictions use some more.
constexpr gp::portion fitted{32, 16, 16};
constexpr gp::portion predicting{100, 50, 50};
constexpr int iterations = 25;
constexpr std::size_t most_believed = 64;
/// With more trials than this, earlier experiments are ignored.
constexpr std::size_t most_advised = 200;

/// Knowledge of trials, in the form that the Gaussian process needs.
struct knowledge {
  std::vector<cube_point> at;
  std::vector<double> values;
  std::vector<double> noises;
  /// Scale that turned values of trials into `values`.
  gp::target_scale scale;
};

double quantile(std::vector<double> xs, double share) {
  auto i = static_cast<std::size_t>(share * static_cast<double>(xs.size()));
  auto middle = xs.begin() + static_cast<std::ptrdiff_t>(std::min(i, xs.size() - 1));
  std::nth_element(xs.begin(), middle, xs.end());
  return *middle;
}

/// @param of Some trials with a value, and bad ones.
knowledge known_from(const std::vector<outcome_estimate>& of) {
  std::vector<double> values;
  for (const auto& x : of) {
    if (!x.is_bad)
      values.push_back(x.value);
  }
  auto median = quantile(values, 0.5);
  auto spread = std::max(1e-12, median - quantile(values, 0.1));
  auto worst = median + most_beyond * spread;
  knowledge result;
  for (const auto& x : of) {
    result.at.push_back(x.at);
    result.values.push_back(x.is_bad ? worst : std::min(x.value, worst));
    result.noises.push_back(x.variance);
  }
  double mean = 0;
  double variance = 0;
  auto count = static_cast<double>(result.values.size());
  for (auto x : result.values)
    mean += x / count;
  for (auto x : result.values)
    variance += (x - mean) * (x - mean) / count;
  for (auto& x : result.noises)
    x = std::min(most_noise, variance > 0 ? x / variance : 0);
  result.scale = gp::target_scale::of(result.values, false);
  for (auto& x : result.values)
    x = result.scale.target_of(x);
  return result;
}

gp::inputs inputs_of(const encoding& space, const knowledge& all,
                     const std::vector<std::size_t>& chosen, std::vector<double>& values) {
  gp::inputs result{space};
  values.clear();
  for (auto i : chosen) {
    result.add(all.at[i], all.noises[i]);
    values.push_back(all.values[i]);
  }
  return result;
}

/// Trials without any result yet.
gp::inputs unseen(const outlook& from) {
  gp::inputs result{from.space()};
  auto points = from.unseen(most_believed);
  auto begin = points.size() - std::min(points.size(), most_believed);
  for (auto i = begin; i < points.size(); ++i)
    result.add(points[i]);
  return result;
}

/// A kernel, and the forecast from earlier experiments; null: none.
struct belief {
  gp::kernel_logs logs;
  transfer::forecast_ptr earlier = {};
};

belief believed(const outlook& from, const gp::inputs& at, const std::vector<double>& values,
                transfer::model_book& sources) {
  auto prior = gp::kernel_prior::of(from.space().mean_active());
  auto fit = [&](const std::vector<double>& targets) {
    return gp::descend(at, targets, prior, gp::first_guess(prior, at.dimensions()), iterations)
        .logs;
  };
  belief cold{fit(values)};
  auto known = from.earlier() != nullptr && from.past().courses().size() <= most_advised;
  auto earlier = known ? from.earlier()->expected(at, values, false, sources) : nullptr;
  if (earlier == nullptr)
    return cold;
  auto logs = fit(gp::without(at, values, earlier));
  auto is_believed = transfer::pays(earlier, {at, values, prior, cold.logs, logs});
  return is_believed ? belief{std::move(logs), std::move(earlier)} : cold;
}

struct prediction {
  gp::model by;
  /// What `by` takes over from earlier experiments; null: nothing.
  transfer::forecast_ptr earlier;
};

prediction prediction_of(const outlook& from, const knowledge& all, transfer::model_book& sources) {
  const auto& space = from.space();
  std::vector<double> values;
  auto few = inputs_of(space, all, gp::portion_of(all.values, fitted, from.seed()), values);
  auto how = believed(from, few, values, sources);
  auto many = inputs_of(space, all, gp::portion_of(all.values, predicting, from.seed()), values);
  gp::model plain{std::move(many), std::move(values), std::move(how.logs), how.earlier};
  auto more = unseen(from);
  return {more.size() > 0 ? plain.believing(more) : std::move(plain), std::move(how.earlier)};
}

/// The smallest mean at points with known values.
double best_of(const gp::model& by, const encoding& space, const knowledge& all,
               std::uint64_t seed) {
  std::vector<double> values;
  auto at = inputs_of(space, all, gp::portion_of(all.values, predicting, seed), values);
  std::vector<double> means;
  std::vector<double> variances;
  by.predict(at, means, variances);
  return *std::min_element(means.begin(), means.end());
}

/// Some untried points, drawn at random.
std::vector<cube_point> drawn(const outlook& from) {
  rng chance{from.seed(), "screen", from.number()};
  const auto& space = from.space();
  std::vector<cube_point> result;
  for (int i = 0; i < tries && result.size() < candidates; ++i) {
    auto at = space.canonical(space.random(chance));
    if (!from.is_taken(at))
      result.push_back(std::move(at));
  }
  return result;
}

} // namespace

std::optional<pick> screen::sketch(const outlook& from) const {
  auto points = drawn(from);
  return points.empty() ? std::nullopt : std::optional{pick{std::move(points.front()), "random"}};
}

namespace {

/// Model, and what it is based on.
struct view {
  knowledge all;
  gp::model by;
  transfer::forecast_ptr earlier;
  /// The smallest mean at points with known values.
  double best = 0;
};

std::optional<view> view_of(const outlook& from, const std::vector<outcome_estimate>& known,
                            transfer::model_book& sources) {
  auto good = std::count_if(known.begin(), known.end(), [](const auto& x) { return !x.is_bad; });
  if (static_cast<std::size_t>(good) < least_known)
    return std::nullopt;
  auto all = known_from(known);
  auto [by, earlier] = prediction_of(from, all, sources);
  auto best = best_of(by, from.space(), all, from.seed());
  return view{std::move(all), std::move(by), std::move(earlier), best};
}

std::optional<neighbour> nearest_of(const std::vector<outcome_estimate>& known,
                                    const encoding& space, const cube_point& at) {
  std::optional<neighbour> found;
  for (const auto& x : known) {
    if (x.is_bad)
      continue;
    neighbour made{x.trial, distance_between(space, x.at, at)};
    made.value = -x.value;
    made.is_estimate = !x.is_whole;
    if (!found || made.distance < found->distance)
      found = made;
  }
  return found;
}

} // namespace

std::optional<explanation> screen::explain(const outlook& from, const pick& what,
                                           learning::workbook& kept) const {
  auto known = extrapolated(from.space(), from.past().courses());
  auto seen
      = what.origin.starts_with("best of") ? view_of(from, known, kept.sources) : std::nullopt;
  if (!seen)
    return std::nullopt;
  gp::inputs one{from.space()};
  one.add(what.at);
  std::vector<double> means;
  std::vector<double> variances;
  seen->by.predict(one, means, variances);
  explanation made;
  made.how = "the largest expected improvement of some drawn at random, by a Gaussian process of "
             "what trials come to";
  made.results = known.size();
  made.expected = seen->all.scale.expected(means.front(), std::sqrt(variances.front()), seen->best);
  made.nearest = nearest_of(known, from.space(), what.at);
  made.details.set("candidates", static_cast<std::int64_t>(drawn(from).size()));
  if (seen->earlier != nullptr)
    made.details.set("earlier", seen->earlier->text());
  return made;
}

std::optional<pick> screen::next(const outlook& from, learning::workbook& kept) const {
  if (from.number() % random_period == random_period - 1)
    return sketch(from);
  auto known = extrapolated(from.space(), from.past().courses());
  auto points = drawn(from);
  auto seen = points.size() < 2 ? std::nullopt : view_of(from, known, kept.sources);
  if (!seen)
    return sketch(from);
  gp::quest what;
  what.space = &from.space();
  what.by = &seen->by;
  what.best = seen->best;
  auto scores = gp::log_improvements(what, points);
  auto best = std::max_element(scores.begin(), scores.end()) - scores.begin();
  return pick{std::move(points[static_cast<std::size_t>(best)]),
              "best of " + std::to_string(points.size()) + " by a model of what trials come to"};
}

} // namespace tune::fidelity
