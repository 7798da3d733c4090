// SPDX-License-Identifier: BSD-3-Clause
#include "run/snapshot.hpp"

namespace tune::cli {

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

} // namespace tune::cli
