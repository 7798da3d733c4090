// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/search/transfer/source.hpp"

#include "tune/core/search/learner/ranking.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

namespace tune::transfer {

namespace {

learning::result result_of(cube_point at, const earlier_trial& x) {
  learning::result made;
  made.at = std::move(at);
  made.how = std::isfinite(x.value) ? learning::ending::finished : learning::ending::failed;
  made.value = std::isfinite(x.value) ? -x.value : inactive;
  if (std::isfinite(x.value)) {
    for (auto y : x.constraints)
      made.missed.push_back(std::isnan(y) ? std::numeric_limits<double>::infinity()
                                          : std::fmax(y, 0));
  }
  return made;
}

/// The part of a configuration that belongs to the space.
object part_in(const search_space& space, const object& config) {
  object result;
  for (const auto& x : space.parameters()) {
    const auto* given = find_parameter(config, x.name);
    if (given != nullptr && !x.numbers_runs)
      result.set(x.name, *given);
  }
  return result;
}

bool is_same(const value& a, const value& b) {
  auto x = a.number();
  auto y = b.number();
  return a == b || (x && y && *x == *y);
}

/// Whether a configuration has the fixed values of constant parameters, as far as it has any.
bool agrees(const search_space& space, const object& config) {
  return std::all_of(space.parameters().begin(), space.parameters().end(), [&](const parameter& x) {
    const auto* fixed = std::get_if<constant>(&x.what);
    const auto* given = fixed == nullptr ? nullptr : find_parameter(config, x.name);
    return given == nullptr || is_same(*given, fixed->what);
  });
}

/// Positions of the best `most` / 2, and as many of the others evenly by rank; in rising order.
std::vector<std::size_t> chosen(const source& from, std::size_t most) {
  auto order = learning::ranking(from.results);
  std::vector<bool> ranked(from.results.size());
  for (auto i : order)
    ranked[i] = true;
  for (std::size_t i = 0; i < ranked.size(); ++i) {
    if (!ranked[i])
      order.push_back(i);
  }
  if (order.size() > most) {
    auto best = most / 2;
    auto others = most - best;
    auto left = order.size() - best;
    for (std::size_t k = 0; k < others; ++k)
      order[best + k] = order[best + (2 * k + 1) * left / (2 * others)];
    order.resize(most);
  }
  std::sort(order.begin(), order.end());
  return order;
}

} // namespace

double distance_on(const std::vector<bool>& axes, const encoding& space, const cube_point& a,
                   const cube_point& b) {
  double sum = 0;
  double count = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (!axes[i])
      continue;
    ++count;
    if (std::isnan(a[i]) && std::isnan(b[i]))
      continue;
    auto is_number = !std::isnan(a[i]) && !std::isnan(b[i]) && !space.at(i).is_category();
    sum += is_number ? (a[i] - b[i]) * (a[i] - b[i]) : a[i] == b[i] ? 0 : 1;
  }
  return count > 0 ? std::sqrt(sum / count) : 0;
}

source laid_out(const encoding& space, const earlier_experiment& from) {
  source result;
  result.name = from.name;
  result.knows.assign(space.dimensions(), false);
  for (const auto& x : from.trials) {
    auto at = space.placed(x.config);
    if (!at)
      continue;
    for (std::size_t i = 0; i < at->size(); ++i)
      result.knows[i] = result.knows[i] || !std::isnan((*at)[i]);
    result.results.push_back(result_of(std::move(*at), x));
    result.trials.push_back(x.trial);
  }
  return result;
}

adaptation adapted(const encoding& space, earlier_experiment from, std::size_t most) {
  adaptation made;
  made.what.name = from.name;
  auto all = std::move(from.trials);
  auto count = std::erase_if(all, [&](const earlier_trial& x) { return !space.placed(x.config); });
  made.outside = count;
  for (auto& x : all)
    x.config = part_in(space.space(), x.config);
  auto other = [&](const earlier_trial& x) { return !agrees(space.space(), x.config); };
  if (!std::all_of(all.begin(), all.end(), other))
    made.elsewhere = std::erase_if(all, other);
  made.what.trials = std::move(all);
  auto points = laid_out(space, made.what);
  made.overlaps = std::find(points.knows.begin(), points.knows.end(), true) != points.knows.end();
  std::vector<earlier_trial> kept;
  for (auto i : chosen(points, most))
    kept.push_back(std::move(made.what.trials[i]));
  made.surplus = made.what.trials.size() - kept.size();
  made.what.trials = std::move(kept);
  return made;
}

} // namespace tune::transfer
