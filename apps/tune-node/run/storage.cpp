// SPDX-License-Identifier: BSD-3-Clause
#include "run/storage.hpp"

#include "tune/io/spec/record.hpp"
#include "tune/io/store/store_reader.hpp"

namespace tune::cli {

namespace fs = std::filesystem;

namespace {

/// Whether what the directory holds was recorded under a configuration that may go on as `wanted`.
expected<void> may_go_on(const fs::path& directory, const spec& wanted) {
  auto reader = store_reader::open(directory);
  if (!reader)
    return reader.error();
  auto row = reader->experiment();
  if (!row)
    return row.error();
  auto before = spec_from_json(row->spec);
  if (!before)
    return before.error();
  return may_resume(changes(*before, wanted));
}

} // namespace

expected<opened_storage> open_storage(const fs::path& directory, const spec& wanted, bool resume) {
  auto state = inspect_directory(directory);
  if (!state)
    return state.error();
  auto holds = *state == directory_state::experiment;
  if (holds && !resume) {
    return error{ec::refused, directory.string()
                                  + " holds an experiment already: go on with it by --resume, or"
                                    " choose another name by --experiment.name NAME"};
  }
  if (holds) {
    if (auto fits = may_go_on(directory, wanted); !fits)
      return fits.error();
  }
  auto opened = holds ? experiment_store::open(directory) : experiment_store::create(directory);
  if (!opened)
    return opened.error();
  return opened_storage{std::make_shared<experiment_store>(std::move(*opened)), holds};
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
