// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/search/transfer/memory.hpp"

#include "tune/core/search/gp/kernel_book.hpp"
#include "tune/core/search/gp/targets.hpp"
#include "tune/core/search/learner/ranking.hpp"
#include "tune/core/search/tpe/tpe.hpp"
#include "tune/core/search/transfer/agreement.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <optional>
#include <utility>

namespace tune::transfer {

namespace {

/// With fewer finished results there is nothing to learn.
constexpr std::size_t least_finished = 3;
/// Portion of a source's trials that kernels are fitted to.
constexpr gp::portion fitted_portion{50, 0, 50};
constexpr int fit_iterations = 30;
/// Total weight of all good points of a source that is fully trusted.
constexpr double good_weight = 4;
/// Number of own results at which half of that weight is left.
constexpr double fading = 10;
/// Results at which ranks are compared, evenly spaced by rank.
constexpr std::size_t most_compared = 60;
/// Trials that a source's prediction for a place rests on.
constexpr std::size_t nearest = 8;

/// Gaussian process of a source.
gp::model model_of(const encoding& space, const source& from, std::uint64_t seed, bool power) {
  auto targets = gp::targets(from.results, power);
  gp::inputs all{space};
  gp::inputs few{space};
  std::vector<double> few_targets;
  for (const auto& x : from.results)
    all.add(x.at);
  for (auto i : gp::portion_of(targets, fitted_portion, seed)) {
    few.add(from.results[i].at);
    few_targets.push_back(targets[i]);
  }
  auto known = std::count(from.knows.begin(), from.knows.end(), true);
  auto active = std::min(space.mean_active(), static_cast<double>(known));
  auto prior = gp::kernel_prior::of(std::max(1.0, active));
  auto logs = gp::descend(few, few_targets, prior, gp::first_guess(prior, few.dimensions()),
                          fit_iterations)
                  .logs;
  return gp::model{std::move(all), std::move(targets), std::move(logs)};
}

std::vector<std::size_t> thinned(std::vector<std::size_t> order) {
  if (order.size() <= most_compared)
    return order;
  std::vector<std::size_t> result;
  for (std::size_t k = 0; k < most_compared; ++k)
    result.push_back(order[k * order.size() / most_compared]);
  return result;
}

/// Predictions of a source by rank, without a model: 0 is its best; 1 its worst, and failures.
struct ranked_source {
  tpe::split parts;
  std::vector<double> ranks;

  explicit ranked_source(const source& from)
      : parts{tpe::split_results(from.results, {})}, ranks(from.results.size(), 1) {
    auto order = learning::ranking(from.results);
    for (std::size_t k = 0; k < order.size(); ++k)
      ranks[order[k]] = static_cast<double>(k) / static_cast<double>(ranks.size());
  }

  /// Mean rank of the nearest trials, weighted by the inverse of their squared distances.
  [[nodiscard]] double rank_at(const encoding& space, const source& from,
                               const cube_point& at) const {
    std::vector<std::pair<double, double>> all;
    for (std::size_t i = 0; i < ranks.size(); ++i) {
      auto distance = distance_on(from.knows, space, from.results[i].at, at);
      all.emplace_back(distance * distance, ranks[i]);
    }
    auto count = std::min(nearest, all.size());
    std::partial_sort(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(count), all.end());
    double sum = 0;
    double weights = 0;
    for (std::size_t k = 0; k < count; ++k) {
      auto weight = 1 / (all[k].first + 1e-9);
      sum += weight * all[k].second;
      weights += weight;
    }
    return weights > 0 ? sum / weights : 1;
  }
};

} // namespace

std::vector<double> forecast::at(const gp::inputs& points) const {
  std::vector<double> result(points.size());
  for (const auto& x : parts_) {
    auto means = x.by->means(points.with((*sources_)[x.source].knows));
    for (std::size_t i = 0; i < result.size(); ++i)
      result[i] += x.slope * means[i];
  }
  return result;
}

std::string forecast::text() const {
  std::string result;
  for (const auto& x : parts_) {
    std::array<char, 32> slope{};
    std::snprintf(slope.data(), slope.size(), "%.2f", x.slope);
    result += (result.empty() ? "" : " + ") + std::string{slope.data()} + " × earlier "
              + std::to_string(x.source + 1);
  }
  return result;
}

struct memory::inside {
  encoding space;
  std::uint64_t seed = 0;
  std::vector<ranked_source> views;
};

memory::memory(const encoding& space, const std::vector<earlier_experiment>& from,
               std::uint64_t seed)
    : ranks_(from.size()) {
  std::vector<source> made;
  std::vector<ranked_source> views;
  for (const auto& x : from)
    made.push_back(laid_out(space, x));
  sources_ = std::make_shared<const std::vector<source>>(std::move(made));
  // Views point into the sources.
  for (const auto& x : *sources_)
    views.emplace_back(x);
  inside_ = std::make_shared<const inside>(inside{space, seed, std::move(views)});
}

void memory::hear(std::span<const learning::result> results) {
  for (std::size_t s = 0; s < ranks_.size(); ++s) {
    const auto& view = inside_->views[s];
    while (!view.parts.good.empty() && ranks_[s].size() < results.size())
      ranks_[s].push_back(
          view.rank_at(inside_->space, (*sources_)[s], results[ranks_[s].size()].at));
  }
}

bool pays(const forecast_ptr& what, const rivals& between) {
  const auto& [at, targets, prior, cold, warm] = between;
  auto gain = gp::misfit(at, targets, prior, cold, nullptr)
              - gp::misfit(at, gp::without(at, targets, what), prior, warm, nullptr);
  return gain > 0.5 * static_cast<double>(what->parts().size())
                    * std::log(static_cast<double>(targets.size()));
}

forecast_ptr memory::expected(const gp::inputs& at, std::span<const double> targets, bool power,
                              model_book& kept) const {
  kept.models.resize(sources_->size());
  std::vector<forecast::part> parts;
  std::vector<std::vector<double>> predictions;
  for (std::size_t s = 0; s < sources_->size(); ++s) {
    const auto& from = (*sources_)[s];
    if (learning::ranking(from.results, least_finished).size() < least_finished)
      continue;
    auto& known = kept.models[s][power ? 1 : 0];
    if (known == nullptr)
      known
          = std::make_shared<const gp::model>(model_of(inside_->space, from, inside_->seed, power));
    predictions.push_back(known->means(at.with(from.knows)));
    parts.push_back({s, 0, known});
  }
  auto fit = slopes(predictions, targets);
  std::vector<forecast::part> believed;
  for (std::size_t k = 0; k < parts.size(); ++k) {
    parts[k].slope = fit[k];
    if (fit[k] > 0)
      believed.push_back(std::move(parts[k]));
  }
  return believed.empty() ? nullptr
                          : std::make_shared<const forecast>(std::move(believed), sources_);
}

std::vector<backing> memory::backings(std::span<const learning::result> results) const {
  auto order = thinned(learning::ranking(results));
  std::vector<double> ranks;
  for (std::size_t k = 0; k < order.size(); ++k)
    ranks.push_back(-static_cast<double>(k));
  auto weight = good_weight * fading / (fading + static_cast<double>(results.size()));
  std::vector<backing> made;
  for (std::size_t s = 0; s < sources_->size(); ++s) {
    const auto& from = (*sources_)[s];
    const auto& view = inside_->views[s];
    if (view.parts.good.empty())
      continue;
    std::vector<double> said;
    for (auto i : order)
      said.push_back(-(i < ranks_[s].size() ? ranks_[s][i]
                                            : view.rank_at(inside_->space, from, results[i].at)));
    auto believed = trust(rank_correlation(said, ranks), order.size());
    if (believed > 0)
      made.push_back({view.parts.good, view.parts.bad,
                      believed * weight / static_cast<double>(view.parts.good.size())});
  }
  return made;
}

} // namespace tune::transfer
