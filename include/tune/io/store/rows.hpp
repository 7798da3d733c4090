/// Rows of the experiment's database as plain values, for display.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/experiment/experiment.hpp"
#include "tune/core/ids.hpp"
#include "tune/core/trial/end_class.hpp"
#include "tune/core/trial/report.hpp"
#include "tune/core/trial/status.hpp"
#include "tune/core/value.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace tune {

/// The experiment as a whole.
struct experiment_row {
  /// Epoch of the last head.
  std::uint32_t epoch = 0;
  /// Unix time of the creation, in milliseconds.
  std::int64_t created_ms = 0;
  sequence last_seq = 0;
  /// Experiment time of the last event.
  instant elapsed{0};
  std::string build;
  /// The complete specification as JSON, as the last head had it.
  std::string spec;
  std::uint64_t seed = 0;
  /// "running", or the name of an `experiment_status`. Running does not mean that a head is alive.
  std::string status;
  std::string why;
  std::optional<instant> finished;
  /// Trials by status.
  status_counts counts{};
  /// Terminated trials that were withdrawn before they began.
  std::uint64_t withdrawn = 0;
  std::uint64_t results = 0;
};

struct trial_row {
  trial_id trial;
  trial_status status = trial_status::pending;
  object config;
  std::string origin;
  std::uint32_t failures = 0;
  lineage_id lineage = 1;
  std::string reason;
  std::string error;
  /// Iteration and training time of the last report; 0 before the first.
  std::uint64_t iterations = 0;
  std::chrono::nanoseconds time_total{0};
  /// Metrics of the last report, and of the report with the best first objective.
  std::optional<object> metrics;
  std::optional<object> best_metrics;
  std::uint64_t best_iteration = 0;
  /// Configurations of the last and of the best report if they differ from the present `config`.
  std::optional<object> last_config;
  std::optional<object> best_config;
  instant created{0};
  std::optional<instant> ended;
};

/// A trial as lists show it, without `last_config`.
struct listed_row {
  trial_row trial;
  /// Where its newest attempt runs or ran; empty: it had none.
  std::string node;
};

/// Attempts are read as they were written.
using attempt_row = cmd::attempt_changed;

struct result_row {
  sequence seq = 0;
  instant at{0};
  std::shared_ptr<const report> what;
  lineage_id lineage = 1;
  std::string node;
  /// The configuration of its attempt; null where the row of that is missing.
  config_ptr config = {};
};

struct decision_row {
  sequence seq = 0;
  trial_id trial;
  attempt_id attempt;
  /// Iteration that was judged; 0 if none was.
  std::uint64_t iteration = 0;
  std::string action;
  object reason;
};

struct checkpoint_row {
  /// No id if the event did not name one.
  checkpoint_id checkpoint;
  sequence seq = 0;
  instant at{0};
  trial_id trial;
  attempt_id attempt;
  std::uint64_t iteration = 0;
  /// Training time of the trial up to this checkpoint.
  std::chrono::nanoseconds time_total{0};
  /// Relative to the experiment's directory.
  std::string location;
  std::uint64_t bytes = 0;
  /// "good"; "bad" with the reason in `detail`; "doomed", about to be removed; "gone".
  std::string state;
  std::string detail;
};

/// One format in which a trial was to export its result.
struct export_row {
  sequence seq = 0;
  trial_id trial;
  /// The attempt's name, such as "1.42".
  std::string attempt;
  std::string format;
  /// Relative to the experiment's directory; empty if there is no export, for the reason in `why`.
  std::string path;
  std::string why;
  /// The directory with all exports of the attempt, relative to the experiment's; empty if there is
  /// none.
  std::string location;
};

/// Noteworthy counts over all trials.
struct trial_tally {
  /// Trials that ended and reported, but never a number for the first objective; and the first such
  /// trial.
  std::uint64_t unjudged = 0;
  trial_id first_unjudged = {};
  /// Trials that are to confirm the search's result; how many of them failed, have not ended, and
  /// reported a number for the first objective.
  std::uint64_t confirming = 0;
  std::uint64_t confirming_failed = 0;
  std::uint64_t confirming_open = 0;
  std::uint64_t confirming_judged = 0;
  /// Trials of the search that reported a number for the first objective.
  std::uint64_t judged = 0;
  /// Trials that clients added.
  std::uint64_t added = 0;
};

/// Counts of successful and failed exports.
struct export_counts {
  /// Exports that were made and that failed, by format, over all trials.
  std::uint64_t made = 0;
  std::uint64_t failed = 0;
  /// Why the first failed export failed; empty if none did.
  std::string why;
};

struct node_row {
  std::string node;
  bool up = false;
  resources capacity;
  instant since{0};
  std::string why;
  /// As in `on::node_up`.
  std::vector<std::string> labels = {};
  std::vector<std::string> taints = {};
};

} // namespace tune
