/// Rows of the experiment's database as values, for whoever shows them.
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

namespace tune {

/// The experiment as a whole.
struct experiment_row {
  /// Generation of the last head.
  std::uint32_t epoch = 0;
  /// Unix time of its creation, in milliseconds.
  std::int64_t created_ms = 0;
  sequence last_seq = 0;
  /// Experiment time of the last event.
  instant elapsed{0};
  std::string build;
  /// The whole configuration as JSON, as the last head had it.
  std::string spec;
  std::uint64_t seed = 0;
  /// "running", or the name of an `experiment_status`. Running does not mean that a head lives.
  std::string status;
  std::string why;
  std::optional<instant> finished;
  /// Trials by status.
  status_counts counts{};
  /// Of those that terminated: withdrawn before they began.
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
  /// Metrics of the last report, and of the one with the best first objective.
  std::optional<object> metrics;
  std::optional<object> best_metrics;
  std::uint64_t best_iteration = 0;
  /// Configurations that these two reports were made with; empty where it was `config`.
  std::optional<object> last_config;
  std::optional<object> best_config;
  instant created{0};
  std::optional<instant> ended;
};

/// What was written is what is read.
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
  /// Iteration that was judged; 0 where none was.
  std::uint64_t iteration = 0;
  std::string action;
  object reason;
};

struct checkpoint_row {
  /// None where the event did not name one.
  checkpoint_id checkpoint;
  sequence seq = 0;
  instant at{0};
  trial_id trial;
  attempt_id attempt;
  std::uint64_t iteration = 0;
  /// Training time of the trial up to it.
  std::chrono::nanoseconds time_total{0};
  /// Relative to the experiment's directory.
  std::string location;
  std::uint64_t bytes = 0;
  /// "good"; "bad" with the reason in `detail`; "doomed", about to be removed; "gone".
  std::string state;
  std::string detail;
};

/// One format in which a trial was to export what it learned.
struct export_row {
  sequence seq = 0;
  trial_id trial;
  /// Its name, as in "1.42".
  std::string attempt;
  std::string format;
  /// Relative to the experiment's directory; empty: there is none, for the reason in `why`.
  std::string path;
  std::string why;
  /// The directory that holds all exports of the attempt, likewise; empty: none.
  std::string location;
};

/// What is noteworthy of all trials that have ended.
struct trial_tally {
  /// Trials that have reported, but never a number for the first objective; and the first of them.
  std::uint64_t unjudged = 0;
  trial_id first_unjudged = {};
  /// Trials that confirm what the search has found, and those of them that failed.
  std::uint64_t confirming = 0;
  std::uint64_t confirming_failed = 0;
};

/// What became of all exports.
struct export_counts {
  /// Formats that were made, and those that were not, over all trials.
  std::uint64_t made = 0;
  std::uint64_t failed = 0;
  /// Why the first of those was not; empty: none failed.
  std::string why;
};

struct node_row {
  std::string node;
  bool up = false;
  resources capacity;
  instant since{0};
  std::string why;
};

} // namespace tune
