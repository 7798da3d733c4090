// SPDX-License-Identifier: BSD-3-Clause
#include "run/snapshot.hpp"

#include "inspect/experiment_directory.hpp"
#include "inspect/failures.hpp"
#include "tune/core/experiment/planned_trials.hpp"
#include "tune/io/spec/convert.hpp"
#include "tune/io/spec/object_parameters.hpp"
#include "tune/io/store/best_checkpoint.hpp"
#include "tune/io/store/best_trials.hpp"
#include "tune/io/store/store_reader.hpp"
#include "tune/io/store/trials_with_number.hpp"
#include "tune/tuner/rule_parts.hpp"
#include "tune/tuner/run_steps.hpp"

#include <algorithm>
#include <numeric>

namespace tune::cli {

namespace fs = std::filesystem;

namespace {

/// Statistics of all runs of the best trial's configuration.
expected<std::optional<run_statistics>> runs_of_best(store_reader& from, const best_rule& rule) {
  if (!rule.repeats.is_on())
    return std::optional<run_statistics>{};
  auto book = runs_of(from, rule);
  if (!book)
    return book.error();
  auto group = book->best();
  return group ? std::optional{statistics_of(*book, *group, rule.by.maximise)}
               : std::optional<run_statistics>{};
}

expected<std::optional<best_row>> best_of(store_reader& from, const snapshot_frame& fixed) {
  const best_rule rule{fixed.objectives.front(), fixed.constraints, fixed.repeats};
  auto first = best_trials(from, rule, 1);
  if (!first)
    return first.error();
  if (first->empty())
    return std::optional<best_row>{};
  best_row result;
  result.trial = first->front().trial;
  const auto& row = first->front();
  result.config = std::make_shared<const object>(row.best_config ? *row.best_config : row.config);
  result.metrics = std::make_shared<const object>(*first->front().best_metrics);
  result.iteration = row.best_iteration;
  result.status = row.status;
  auto runs = runs_of_best(from, rule);
  if (!runs)
    return runs.error();
  result.runs = *runs;
  auto found = best_checkpoint(from, row, fixed.objectives.front(), fixed.constraints);
  if (!found)
    return found.error();
  if (!*found)
    return std::optional{std::move(result)};
  const auto& saved = **found;
  result.checkpoint = checkpoint_place(fixed.directory, saved.checkpoint.location);
  result.checkpoint_iteration = saved.checkpoint.iteration;
  auto metrics = saved.at == nullptr ? object{} : objectives_of(*saved.at, fixed.objectives);
  if (!metrics.empty())
    result.checkpoint_metrics = std::make_shared<const object>(std::move(metrics));
  return std::optional{std::move(result)};
}

best_row row_of(const snapshot_frame& fixed, const best_trial& x) {
  best_row result;
  result.trial = x.trial;
  result.config = x.config;
  result.metrics = x.at->metrics;
  result.iteration = x.at->iteration;
  result.checkpoint = checkpoint_place(fixed.directory, x.checkpoint);
  result.checkpoint_iteration = x.checkpoint_iteration;
  result.checkpoint_metrics = x.checkpoint_metrics;
  result.status = x.status;
  result.runs = x.runs;
  return result;
}

/// What an experiment of this record has. @errors `ec::storage`.
expected<made_trials> made_in(store_reader& from, const experiment_row& row) {
  auto known = from.tally();
  if (!known)
    return known.error();
  made_trials result;
  result.added = known->added;
  result.confirming = known->confirming;
  const auto all = std::accumulate(row.counts.begin(), row.counts.end(), std::uint64_t{0});
  result.samples = all - std::min(all, row.withdrawn + result.added + result.confirming);
  return result;
}

/// A status by its name in the record.
experiment_status status_called(const std::string& name) {
  using enum experiment_status;
  for (auto x : {time_limit, interrupted, stopped, failed, stalled, left_off}) {
    if (name == to_text(x))
      return x;
  }
  return done;
}

} // namespace

snapshot_frame frame_of(const spec& what, const fs::path& directory) {
  snapshot_frame result;
  result.experiment = what.experiment.name;
  result.directory = directory.string();
  result.objectives = what.experiment.objectives;
  result.constraints = what.experiment.constraints;
  result.object_parameters = object_parameters_of(what);
  result.repeats = repeat_rule_of(what);
  result.expected_samples = settings_by(what).expected_samples;
  result.time_limit = what.experiment.time_limit;
  return result;
}

run_snapshot snapshot_of(const snapshot_frame& fixed, const experiment_view& view, instant at) {
  run_snapshot result;
  result.experiment = fixed.experiment;
  result.directory = fixed.directory;
  result.objectives = fixed.objectives;
  result.constraints = fixed.constraints;
  result.object_parameters = fixed.object_parameters;
  result.counts = view.counts;
  auto& terminated = result.counts[static_cast<std::size_t>(trial_status::terminated)];
  result.withdrawn = std::min(view.withdrawn, terminated);
  terminated -= result.withdrawn;
  result.planned = view.planned;
  result.elapsed = at;
  result.time_limit = fixed.time_limit;
  if (view.best)
    result.best = row_of(fixed, *view.best);
  return result;
}

std::optional<run_snapshot> take_snapshot(experiment_actors& actors, const snapshot_frame& fixed) {
  auto state = actors.status();
  auto books = actors.resources();
  if (!state || !books)
    return std::nullopt;
  auto result = snapshot_of(fixed, state->view, state->at);
  result.used = books->used;
  result.total = books->total;
  result.nodes = static_cast<std::uint32_t>(books->nodes);
  result.leaving = static_cast<std::uint32_t>(books->leaving.size());
  for (const auto& x : state->running) {
    listed_trial row;
    row.trial = x.trial;
    row.status = trial_status::running;
    row.config = x.config;
    row.age = state->at - x.since;
    if (x.last != nullptr) {
      row.iterations = x.last->iteration;
      for (const auto& what : fixed.objectives)
        row.objectives.push_back(metric(*x.last, what.metric));
    }
    result.trials.push_back(std::move(row));
  }
  return result;
}

expected<std::optional<finished_run>>
finished_before(const fs::path& directory, const spec& wanted, const snapshot_frame& fixed,
                std::optional<resume_mode> resume,
                const std::function<void(const error&)>& untidy) {
  auto finished = is_over_already(directory, wanted, resume, untidy);
  if (!finished)
    return finished.error();
  if (!*finished)
    return std::optional<finished_run>{};
  auto reader = store_reader::open(directory);
  if (!reader)
    return reader.error();
  auto row = reader->experiment();
  if (!row)
    return row.error();
  auto result = recorded_end(*reader, *row, fixed);
  if (!result)
    return result.error();
  return std::optional{std::move(*result)};
}

expected<finished_run> recorded_end(store_reader& from, const experiment_row& row,
                                    const snapshot_frame& fixed) {
  auto last = recorded_snapshot(from, row, fixed);
  if (!last)
    return last.error();
  auto counted = count_with_number(from, fixed.objectives.front().metric);
  if (!counted)
    return counted.error();
  finished_run result{std::move(*last), {}};
  if (result.last.best) {
    auto& best = result.how.view.best.emplace();
    best.trial = result.last.best->trial;
    best.status = result.last.best->status;
  }
  result.how.status = status_called(row.status);
  result.how.why = row.why;
  result.how.view.counts = row.counts;
  result.how.view.withdrawn = row.withdrawn;
  result.how.view.succeeded = counted->succeeded;
  result.how.view.promising = counted->promising;
  return result;
}

expected<run_snapshot> recorded_snapshot(store_reader& from, const experiment_row& row,
                                         const snapshot_frame& fixed) {
  experiment_view view;
  view.counts = row.counts;
  view.withdrawn = row.withdrawn;
  auto result = snapshot_of(fixed, view, row.elapsed);
  auto best = best_of(from, fixed);
  if (!best)
    return best.error();
  result.best = std::move(*best);
  auto made = made_in(from, row);
  if (!made)
    return made.error();
  result.planned = planned_trials(fixed.expected_samples, fixed.repeats, *made,
                                  status_called(row.status) == experiment_status::done
                                      && row.status != "running");
  auto exports = from.count_exports();
  if (!exports)
    return exports.error();
  result.exports = std::move(*exports);
  look_back(result, from);
  return result;
}

expected<bool> have_all_ended(store_reader& from, const experiment_row& row,
                              const snapshot_frame& fixed) {
  auto made = made_in(from, row);
  if (!made)
    return made.error();
  const auto planned = planned_trials(fixed.expected_samples, fixed.repeats, *made, false);
  const auto all = std::accumulate(row.counts.begin(), row.counts.end(), std::uint64_t{0});
  const auto count = [&row](trial_status x) { return row.counts[static_cast<std::size_t>(x)]; };
  using enum trial_status;
  return planned && made->all() >= *planned && count(terminated) + count(errored) == all;
}

std::optional<std::uint64_t> planned_at_start(const snapshot_frame& fixed, const fs::path& before,
                                              const std::vector<on::add_asked>& additions) {
  made_trials made;
  auto reader = before.empty() ? expected<store_reader>{error{ec::unreadable, {}}}
                               : store_reader::open(before);
  if (auto row = reader ? reader->experiment() : reader.error()) {
    if (auto known = made_in(*reader, *row))
      made = *known;
  }
  for (const auto& x : additions)
    made.added += runs_of_added(fixed.repeats, x.config->find(fixed.repeats.parameter) != nullptr);
  return planned_trials(fixed.expected_samples, fixed.repeats, made, false);
}

void count_exports(run_snapshot& to, const fs::path& directory) {
  auto reader = store_reader::open(directory);
  if (!reader)
    return;
  if (auto counted = reader->count_exports())
    to.exports = std::move(*counted);
  if (to.exports.made + to.exports.failed == 0 && ended_trials(to) > 0)
    to.remarks.emplace_back(
        "nothing was exported: trials export that come to their end, and not those"
        " that failed or that their scheduler gave up");
}

} // namespace tune::cli
