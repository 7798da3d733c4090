// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/search/importance/by_model.hpp"

#include "tune/core/rng.hpp"
#include "tune/core/search/encoding/encoding.hpp"
#include "tune/core/search/gp/kernel_book.hpp"
#include "tune/core/search/gp/targets.hpp"

#include "shuffles.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace tune {

namespace {

constexpr gp::portion learnt_from{50, 0, 150};
constexpr std::size_t samples = 1000;
constexpr int iterations = 60;
/// Number of points that are predicted at once.
constexpr std::size_t chunk = 250;

lesson lesson_of(const encoding& space, const std::vector<scored_config>& best_first,
                 std::uint64_t seed) {
  lesson all;
  for (const auto& x : best_first) {
    auto at = space.encoded(*x.config);
    if (!at)
      continue;
    all.at.push_back(std::move(*at));
    all.targets.push_back(-x.score);
  }
  lesson result;
  for (auto i : gp::portion_of(all.targets, learnt_from, seed)) {
    result.at.push_back(all.at[i]);
    result.targets.push_back(all.targets[i]);
  }
  result.targets = gp::standardised(std::move(result.targets));
  auto lambda = gp::fitted_lambda(result.targets);
  for (auto& x : result.targets)
    x = gp::yeo_johnson(x, lambda);
  result.targets = gp::standardised(std::move(result.targets));
  return result;
}

std::vector<axes> axes_by_parameter(const encoding& space) {
  std::vector<axes> result;
  const parameter* last = nullptr;
  for (std::size_t i = 0; i < space.dimensions(); ++i) {
    const auto* here = &space.parameter_of(i);
    if (here != std::exchange(last, here))
      result.push_back({i, 0});
    ++result.back().count;
  }
  return result;
}

gp::inputs inputs_of(const encoding& space, const std::vector<cube_point>& points) {
  gp::inputs result{space};
  for (const auto& x : points)
    result.add(x);
  return result;
}

/// A kernel of some axes.
struct fitted_kernel {
  std::vector<bool> kept;
  gp::fit found;
};

/// @param start Null: the fit begins at the first guess.
fitted_kernel fitted(const encoding& space, const lesson& from, std::vector<bool> kept,
                     const gp::kernel_logs* start) {
  auto prior = gp::kernel_prior::of(space.mean_active());
  auto begin = start != nullptr ? *start : gp::first_guess(prior, space.dimensions());
  for (std::size_t i = 0; i < kept.size(); ++i)
    begin[i] = kept[i] ? begin[i] : prior.log_length;
  auto at = inputs_of(space, from.at).with(kept);
  auto found = gp::descend(at, from.targets, prior, std::move(begin), iterations);
  return {std::move(kept), std::move(found)};
}

/// Whether the presence of each parameter depends on parameter `number`.
std::vector<bool> dependents_of(const search_space& space, std::size_t number) {
  std::vector<bool> result(space.parameters().size());
  for (auto i : space.order()) {
    const auto& parents = space.parents(i);
    result[i] = std::any_of(parents.begin(), parents.end(),
                            [&](auto parent) { return parent == number || result[parent]; });
  }
  return result;
}

/// Evidence and chance of one parameter. Parameters that are present or absent because of it tell
/// its value: they are left out of the comparison.
/// @param all The kernel of all axes.
void compare(const encoding& space, const lesson& from, const axes& of, const fitted_kernel& all,
             std::uint64_t seed, model_importance& into) {
  auto dependents = dependents_of(space.space(), space.number_of(of.first));
  auto kept = all.kept;
  for (std::size_t i = 0; i < kept.size(); ++i)
    kept[i] = !dependents[space.number_of(i)];
  auto with = kept == all.kept ? all : fitted(space, from, kept, &all.found.logs);
  for (auto i = of.first; i < of.first + of.count; ++i)
    kept[i] = false;
  // From nowhere: a fit that began at the kernel of all axes would know the parameter's values, and
  // shuffles of them would no longer be as likely as they are.
  auto without = fitted(space, from, std::move(kept), nullptr);
  into.evidence = std::max(0.0, without.found.misfit - with.found.misfit);
  into.chance = chance_of(space, from, of, without.found.logs, without.kept,
                          {seed, space.parameter_of(of.first).name, 1});
}

std::vector<double> predicted(const gp::model& by, const encoding& space,
                              const std::vector<cube_point>& at) {
  std::vector<double> result;
  for (std::size_t first = 0; first < at.size(); first += chunk) {
    gp::inputs some{space};
    for (auto i = first; i < std::min(first + chunk, at.size()); ++i)
      some.add(at[i]);
    std::vector<double> means;
    std::vector<double> variances;
    by.predict(some, means, variances);
    result.insert(result.end(), means.begin(), means.end());
  }
  return result;
}

/// Total effects of all parameters, as shares of the variance.
std::vector<double> effects_of(const gp::model& by, const encoding& space, std::uint64_t seed) {
  rng chance{seed, "effects", 0};
  std::vector<cube_point> latent;
  std::vector<cube_point> at;
  for (std::size_t i = 0; i < samples; ++i) {
    latent.push_back(space.random(chance));
    at.push_back(space.canonical(latent.back()));
  }
  auto values = predicted(by, space, at);
  double mean = 0;
  double variance = 0;
  for (auto x : values)
    mean += x / samples;
  for (auto x : values)
    variance += (x - mean) * (x - mean) / samples;
  std::vector<double> result;
  for (const auto& each : axes_by_parameter(space)) {
    std::vector<cube_point> moved;
    for (auto x : latent) {
      for (auto i = each.first; i < each.first + each.count; ++i)
        x[i] = space.draw(i, chance);
      moved.push_back(space.canonical(x));
    }
    auto others = predicted(by, space, moved);
    double sum = 0;
    for (std::size_t i = 0; i < samples; ++i)
      sum += (values[i] - others[i]) * (values[i] - others[i]) / (2 * samples);
    result.push_back(variance > 0 ? std::min(1.0, sum / variance) : 0);
  }
  return result;
}

} // namespace

expected<std::vector<model_importance>>
importance_by_model(const search_space& space, const std::vector<scored_config>& best_first,
                    const importance_settings& how) {
  if (auto wrong = refuse(how, best_first.size()))
    return *wrong;
  auto laid_out
      = encoding::make(std::make_shared<const search_space>(space), "a model of the results");
  if (!laid_out)
    return laid_out.error();
  auto lesson = lesson_of(*laid_out, best_first, how.seed);
  if (auto wrong = refuse(how, lesson.at.size()))
    return *wrong;
  auto with = fitted(*laid_out, lesson, std::vector<bool>(laid_out->dimensions(), true), nullptr);
  gp::model by{inputs_of(*laid_out, lesson.at), lesson.targets, with.found.logs};
  auto effects = effects_of(by, *laid_out, how.seed);
  std::vector<std::shared_ptr<const object>> configs;
  for (const auto& x : best_first)
    configs.push_back(x.config);
  std::vector<model_importance> result;
  double sum = 0;
  std::size_t number = 0;
  for (const auto& each : axes_by_parameter(*laid_out)) {
    const auto& parameter = laid_out->parameter_of(each.first);
    auto effect = effects[number++];
    if (parameter.numbers_runs)
      continue;
    model_importance made;
    made.where = standing_of(space, laid_out->number_of(each.first), configs, how.best_share);
    if (made.where.is_known()) {
      made.effect = effect;
      compare(*laid_out, lesson, each, with, how.seed, made);
    }
    sum += made.effect;
    result.push_back(std::move(made));
  }
  for (auto& x : result)
    x.share = sum > 0 ? x.effect / sum : 0;
  std::stable_sort(result.begin(), result.end(),
                   [](const auto& a, const auto& b) { return a.effect > b.effect; });
  return result;
}

} // namespace tune
