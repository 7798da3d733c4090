// SPDX-License-Identifier: BSD-3-Clause
#include "whatif/recorded_curves.hpp"

#include "inspect/experiment_directory.hpp"
#include "tune/core/experiment/event.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <utility>

namespace tune::cli {

namespace {

std::optional<double> number_in(const object& metrics, const std::string& name) {
  const auto* found = find_path(metrics, name);
  return found == nullptr ? std::nullopt : found->number();
}

/// Why the curve of a trial is not that of its configuration; empty: it is.
std::string why_mixed(const trial_row& trial, const std::vector<attempt_row>& attempts) {
  const auto who = "trial " + to_text(trial.trial);
  for (const auto& x : attempts) {
    if (x.donor)
      return who + " took over the state of trial " + to_text(*x.donor);
    if (x.config != nullptr && *x.config != trial.config)
      return who + " had another configuration at first";
  }
  return {};
}

/// Whether the trial ended or failed by itself.
bool ended_by_itself(const trial_row& trial, const std::vector<attempt_row>& attempts,
                     const report* last) {
  if (!is_final(trial.status))
    return false;
  if (trial.status == trial_status::errored || (last != nullptr && last->done))
    return true;
  return !attempts.empty() && attempts.back().finished
         && attempts.back().how == end_class::finished;
}

/// The metrics of a report, with the automatic one by which a simulation counts.
object metrics_of(const report& x) {
  auto result = x.metrics != nullptr ? *x.metrics : object{};
  result.set("training_iteration", static_cast<std::int64_t>(x.iteration));
  return result;
}

expected<recorded_trial> read_trial(store_reader& from, const trial_row& row, recorded_run& all) {
  auto attempts = from.attempts(row.trial);
  if (!attempts)
    return reading_failed(attempts.error());
  if (auto why = why_mixed(row, *attempts); !why.empty())
    return error{ec::refused, why
                                  + ": its curve is not that of one configuration, and says "
                                    "nothing of what other rules would have done"};
  auto results = from.results(row.trial, 0, std::numeric_limits<std::size_t>::max());
  if (!results)
    return reading_failed(results.error());
  recorded_trial result{row.trial, std::make_shared<const object>(row.config), row.origin, {}, {}};
  std::uint64_t reached = 0;
  for (const auto& x : *results) {
    ++all.reports;
    all.trained += x.what->time_this_iter;
    // Run again after a failure: the first report counted.
    if (x.lineage != row.lineage || x.what->iteration <= reached)
      continue;
    reached = x.what->iteration;
    result.steps.push_back({reached, metrics_of(*x.what), x.what->time_this_iter});
  }
  result.is_whole
      = ended_by_itself(row, *attempts, results->empty() ? nullptr : results->back().what.get());
  if (row.status == trial_status::errored)
    result.failure = row.error;
  all.horizon = std::max(all.horizon, reached);
  return result;
}

} // namespace

void take_better(std::optional<recorded_best>& best, trial_id trial, std::uint64_t iteration,
                 const object& metrics, const objective& by, const constraint_list& constraints) {
  const auto number = number_in(metrics, by.metric);
  if (!number || std::isnan(*number))
    return;
  const merit now{total_violation(constraints, metrics), by.maximise ? *number : -*number};
  if (!best || is_better(now, best->how))
    best = recorded_best{trial, iteration, *number, now};
}

expected<recorded_run> read_run(store_reader& from, const std::vector<objective>& objectives,
                                const constraint_list& constraints) {
  trial_query which;
  which.limit = std::numeric_limits<std::size_t>::max();
  auto rows = from.trials(which);
  if (!rows)
    return reading_failed(rows.error());
  std::sort(rows->begin(), rows->end(),
            [](const auto& x, const auto& y) { return x.trial < y.trial; });
  recorded_run result;
  for (const auto& row : *rows) {
    if (row.reason.starts_with(withdrawn_reason))
      continue;
    auto read = read_trial(from, row, result);
    if (!read)
      return read.error();
    for (const auto& x : read->steps)
      take_better(result.best, row.trial, x.iteration, x.metrics, objectives.front(), constraints);
    result.trials.push_back(std::move(*read));
  }
  return result;
}

simulated_step recorded_model::next(trial_id trial, const config_ptr&, std::uint64_t done) {
  if (trial.number >= run_->trials.size())
    return {};
  const auto& x = run_->trials[trial.number];
  const auto step = std::upper_bound(x.steps.begin(), x.steps.end(), done,
                                     [](auto y, const auto& z) { return y < z.iteration; });
  if (step == x.steps.end())
    return beyond(trial, x, done);
  ++reports_;
  return {step->metrics, step->takes};
}

simulated_step recorded_model::beyond(trial_id trial, const recorded_trial& x, std::uint64_t done) {
  if (x.is_whole)
    return {std::nullopt, instant{0}, x.failure};
  auto& missing = unknown_[trial];
  if (how_ == beyond_record::ends || done >= run_->horizon)
    return {};
  const auto count = x.steps.size();
  const auto stride = count == 0 ? 1 : std::max<std::uint64_t>(x.steps.back().iteration / count, 1);
  instant total{0};
  for (const auto& y : x.steps)
    total += y.takes;
  const auto takes = count > 0           ? total / static_cast<std::int64_t>(count)
                     : run_->reports > 0 ? run_->trained / static_cast<std::int64_t>(run_->reports)
                                         : instant{0};
  ++missing;
  ++reports_;
  return {object{{"training_iteration", static_cast<std::int64_t>(done + stride)}}, takes};
}

} // namespace tune::cli
