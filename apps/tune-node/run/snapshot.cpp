// SPDX-License-Identifier: BSD-3-Clause
#include "run/snapshot.hpp"

#include "tune/io/store/experiment_directory.hpp"
#include "tune/io/store/store_reader.hpp"

namespace tune::cli {

namespace fs = std::filesystem;

namespace {

best_row row_of(const best_trial& x) {
  best_row result;
  result.trial = x.trial;
  result.config = x.config;
  result.metrics = x.at->metrics;
  result.iteration = x.at->iteration;
  result.checkpoint = x.checkpoint;
  return result;
}

} // namespace

run_snapshot snapshot_of(const snapshot_frame& fixed, const experiment_view& view, instant at) {
  run_snapshot result;
  result.experiment = fixed.experiment;
  result.directory = fixed.directory;
  result.objectives = fixed.objectives;
  result.counts = view.counts;
  result.planned = fixed.planned;
  result.elapsed = at;
  result.time_limit = fixed.time_limit;
  if (view.best)
    result.best = row_of(*view.best);
  return result;
}

std::optional<run_snapshot> take_snapshot(company& actors, const snapshot_frame& fixed) {
  auto state = actors.status();
  auto books = actors.resources();
  if (!state || !books)
    return std::nullopt;
  auto result = snapshot_of(fixed, state->view, state->at);
  result.used = books->used;
  result.total = books->total;
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

expected<std::optional<run_snapshot>> finished_before(const fs::path& directory,
                                                      snapshot_frame fixed) {
  auto state = inspect_directory(directory);
  if (!state)
    return state.error();
  if (*state != directory_state::experiment)
    return std::optional<run_snapshot>{};
  auto reader = store_reader::open(directory);
  if (!reader)
    return reader.error();
  auto row = reader->experiment();
  if (!row)
    return row.error();
  if (row->status != to_text(experiment_status::done))
    return std::optional<run_snapshot>{};
  experiment_view view;
  view.counts = row->counts;
  auto result = snapshot_of(fixed, view, row->elapsed);
  trial_query best;
  best.by = trial_query::order::metric;
  best.metric = fixed.objectives.front().metric;
  best.descending = fixed.objectives.front().maximise;
  best.limit = 1;
  auto first = reader->trials(best);
  if (!first)
    return first.error();
  if (!first->empty() && first->front().best_metrics) {
    auto& shown = result.best.emplace();
    shown.trial = first->front().trial;
    shown.config = std::make_shared<const object>(first->front().config);
    shown.metrics = std::make_shared<const object>(*first->front().best_metrics);
    shown.iteration = first->front().best_iteration;
  }
  return std::optional<run_snapshot>{std::move(result)};
}

} // namespace tune::cli
