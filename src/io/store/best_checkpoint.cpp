// SPDX-License-Identifier: BSD-3-Clause
#include "tune/io/store/best_checkpoint.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <map>
#include <utility>
#include <vector>

namespace tune {

namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

/// The rule by which one report is better than another.
struct preference {
  /// The trial whose own checkpoints come before those it was cloned from.
  trial_id of;
  const objective& by;
  const constraint_list& constraints;
};

merit merit_of(const std::shared_ptr<const report>& x, const preference& what) {
  merit result;
  auto number = x == nullptr ? std::nullopt : metric_number(*x, what.by.metric);
  auto score = number.value_or(nan);
  result.score = what.by.maximise ? score : -score;
  if (x != nullptr)
    result.violation
        = total_violation(what.constraints, x->metrics != nullptr ? *x->metrics : object{});
  return result;
}

bool is_better(const saved_report& x, const saved_report& than, const preference& what) {
  auto a = merit_of(x.at, what);
  auto b = merit_of(than.at, what);
  if (std::isnan(a.score) && std::isnan(b.score))
    return x.checkpoint.seq > than.checkpoint.seq;
  auto is_own = [&](const saved_report& y) { return y.checkpoint.trial == what.of; };
  if (a == b && is_own(x) != is_own(than))
    return is_own(x);
  return tune::is_better(a, b) || (a == b && x.checkpoint.seq < than.checkpoint.seq);
}

using made_by = std::pair<attempt_id, std::uint64_t>;

/// The trial's own restorable checkpoints, with their reports. @param iteration Only those of this
/// iteration.
expected<std::vector<saved_report>> good_of(store_reader& from, trial_id trial,
                                            std::optional<std::uint64_t> iteration) {
  auto rows = from.checkpoints(trial);
  if (!rows)
    return rows.error();
  std::erase_if(*rows, [&](const checkpoint_row& x) {
    // What an executor keeps without a name is nothing to be fetched.
    return x.state != "good" || x.location.starts_with(kept_in_memory) || x.location == kept_outside
           || (iteration && x.iteration != *iteration);
  });
  std::vector<saved_report> result;
  if (rows->empty())
    return result;
  auto reports = from.saved_reports(trial, iteration);
  if (!reports)
    return reports.error();
  std::map<made_by, std::shared_ptr<const report>> known;
  for (auto& x : *reports)
    known[{x->attempt, x->iteration}] = x;
  for (auto& x : *rows) {
    auto report = known.find({x.attempt, x.iteration});
    result.push_back({std::move(x), report == known.end() ? nullptr : report->second});
  }
  return result;
}

/// The checkpoints that the trial was cloned from.
expected<std::vector<saved_report>> taken_over(store_reader& from, trial_id trial) {
  auto attempts = from.attempts(trial);
  if (!attempts)
    return attempts.error();
  std::vector<saved_report> result;
  for (const auto& x : *attempts) {
    if (!x.donor)
      continue;
    auto others = good_of(from, *x.donor, std::nullopt);
    if (!others)
      return others.error();
    for (auto& y : *others) {
      if (y.checkpoint.checkpoint == x.from)
        result.push_back(std::move(y));
    }
  }
  return result;
}

std::optional<saved_report> best_of(std::vector<saved_report> all, const preference& what) {
  auto best = std::min_element(all.begin(), all.end(),
                               [&](const auto& x, const auto& y) { return is_better(x, y, what); });
  return best == all.end() ? std::nullopt : std::optional{std::move(*best)};
}

} // namespace

expected<std::optional<saved_report>> best_checkpoint(store_reader& from, const trial_row& of,
                                                      const objective& by,
                                                      const constraint_list& constraints) {
  const preference what{of.trial, by, constraints};
  // Usually the best report has a checkpoint.
  const auto* known = of.best_metrics ? find_path(*of.best_metrics, by.metric) : nullptr;
  if (auto best = known == nullptr ? std::nullopt : known->number()) {
    auto exact = good_of(from, of.trial, of.best_iteration);
    if (!exact)
      return exact.error();
    auto found = best_of(std::move(*exact), what);
    const merit wanted{total_violation(constraints, *of.best_metrics),
                       by.maximise ? *best : -*best};
    if (found && merit_of(found->at, what) == wanted)
      return found;
  }
  auto all = good_of(from, of.trial, std::nullopt);
  if (!all)
    return all.error();
  auto more = taken_over(from, of.trial);
  if (!more)
    return more.error();
  std::move(more->begin(), more->end(), std::back_inserter(*all));
  return best_of(std::move(*all), what);
}

} // namespace tune
