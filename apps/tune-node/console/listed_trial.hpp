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

/// What only the record knows of a trial.
struct trial_details {
  /// Of the reports that speak for it, all of them.
  object metrics;
  /// Of the report with the best first objective; 0: there is none.
  std::uint64_t best_iteration = 0;
  /// In experiment time.
  instant created{0};
  std::optional<instant> ended;
  /// Where its newest attempt ran; empty: it had none.
  std::string node;
  std::uint64_t attempts = 0;
  /// Directory of the checkpoint of its best report, or of the best that has one; empty: none.
  std::string checkpoint;
  std::string origin;
  std::string error;
  /// No other trial is better in one objective and as good in all others. Nothing: there is but
  /// one.
  std::optional<bool> pareto;
  /// What all runs of its configuration come to, and its place among the configurations, from 1;
  /// nothing where each runs once, or where none of the runs has a number.
  std::optional<run_statistics> runs = {};
  std::uint64_t runs_rank = 0;
};

/// What is known of one trial.
struct listed_trial {
  trial_id trial;
  trial_status status = trial_status::pending;
  /// The last `training_iteration` reported; 0 where none was.
  std::uint64_t iterations = 0;
  /// The objectives in the experiment's order, as the user's program gave them; null where missing.
  std::vector<value> objectives{};
  /// May be null.
  config_ptr config{};
  /// Why it ended, or what happened last. Text from outside.
  std::string reason{};
  std::uint32_t failures = 0;
  /// Training time so far.
  std::chrono::nanoseconds age{0};
  /// Null where the record was not asked.
  std::shared_ptr<const trial_details> details{};
  /// Of the constraints in all, by the report that speaks for it; nothing where there are no
  /// constraints, or no report.
  std::optional<double> violation{};
};

} // namespace tune::cli
