/// One trial as it is listed: in the status block, in `tune-node trials`, in files.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/experiment/run_book.hpp"
#include "tune/core/ids.hpp"
#include "tune/core/trial/status.hpp"
#include "tune/core/value.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace tune::cli {

/// Details of a trial that only the record has.
struct trial_details {
  /// All metrics of the reports that represent it.
  object metrics;
  /// Those of its last report, or of its best one where the last represents it: what has a column.
  object other_metrics;
  /// Iteration of the report with the best first objective; 0: there is none.
  std::uint64_t best_iteration = 0;
  /// Experiment time.
  instant created{0};
  std::optional<instant> ended;
  /// Node of its newest attempt; empty: it had none.
  std::string node;
  std::uint64_t attempts = 0;
  /// Directory of the checkpoint of its best report, or of the best report that has one; empty:
  /// none.
  std::string checkpoint;
  std::string origin;
  std::string error;
  /// Whether no other trial is better in one objective and as good in all others. Nothing: there is
  /// only one objective.
  std::optional<bool> pareto;
  /// Statistics of all runs of its configuration, and its rank among the configurations, from 1;
  /// nothing if each runs once, or if none of the runs has a number.
  std::optional<run_statistics> runs = {};
  std::uint64_t runs_rank = 0;
};

/// Facts about one trial.
struct listed_trial {
  trial_id trial;
  trial_status status = trial_status::pending;
  /// The last `training_iteration` reported; 0 if none was.
  std::uint64_t iterations = 0;
  /// The objectives in the experiment's order, as the user's program gave them; null where missing.
  std::vector<value> objectives{};
  /// May be null.
  config_ptr config{};
  /// Why it ended, or what happened last. External text.
  std::string reason{};
  std::uint32_t failures = 0;
  /// Training time so far.
  std::chrono::nanoseconds age{0};
  /// Null if the record was not read.
  std::shared_ptr<const trial_details> details{};
  /// Whether the experiment has constraints.
  bool is_constrained = false;
  /// Total violation of the constraints, by the report that represents it; nothing if there are no
  /// constraints, or no report.
  std::optional<double> violation{};
};

} // namespace tune::cli
