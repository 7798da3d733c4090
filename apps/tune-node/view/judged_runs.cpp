// SPDX-License-Identifier: BSD-3-Clause
#include "view/judged_runs.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

namespace tune::cli {

namespace {

double in_own_sign(const trial_table& trials, double score) {
  return trials.by().objectives.front().maximise ? score : 0.0 - score;
}

/// The best values so far, each with the place of the trial with which it came.
std::vector<std::pair<std::size_t, double>> best_changes(const trial_table& trials) {
  std::vector<std::pair<std::size_t, double>> result;
  if (trials.by().repeats.is_on()) {
    auto best = std::numeric_limits<std::size_t>::max();
    for (const auto& x : judged_configurations(trials)) {
      if (x.rank < best)
        result.emplace_back(x.places.back(), x.value);
      best = std::min(best, x.rank);
    }
    return result;
  }
  const merit* best = nullptr;
  for (std::size_t i = 0; i < trials.size(); ++i) {
    const auto& how = trials.lines()[i].how;
    if (std::isnan(how.score) || (best != nullptr && !is_better(how, *best)))
      continue;
    best = &how;
    result.emplace_back(i, in_own_sign(trials, how.score));
  }
  return result;
}

} // namespace

std::vector<judged_runs> judged_configurations(const trial_table& trials) {
  std::vector<judged_runs> result;
  for (const auto& group : trials.runs().ranked(std::numeric_limits<std::size_t>::max())) {
    judged_runs next{{}, in_own_sign(trials, group.how.score), result.size()};
    for (auto trial : group.trials) {
      const auto place = trials.place_of(trial);
      if (place && !std::isnan(trials.lines()[*place].how.score))
        next.places.push_back(*place);
    }
    std::sort(next.places.begin(), next.places.end());
    if (!next.places.empty())
      result.push_back(std::move(next));
  }
  std::sort(result.begin(), result.end(),
            [](const auto& x, const auto& y) { return x.places.back() < y.places.back(); });
  return result;
}

std::vector<double> best_after_each(const trial_table& trials) {
  const auto changes = best_changes(trials);
  std::vector<double> result;
  std::optional<double> best;
  auto next = changes.begin();
  for (std::size_t i = 0; i < trials.size(); ++i) {
    for (; next != changes.end() && next->first == i; ++next)
      best = next->second;
    if (best && !trials.lines()[i].withdrawn)
      result.push_back(*best);
  }
  return result;
}

} // namespace tune::cli
