/// Rows of the experiment's database that are read in great number: for summaries of all trials.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/ids.hpp"
#include "tune/core/trial/status.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tune {

/// The experiment as a whole: what is known without counting.
struct head_facts {
  std::uint32_t epoch = 0;
  /// Unix time of the creation, in milliseconds.
  std::int64_t created_ms = 0;
  sequence last_seq = 0;
  /// The `opened` event of the newest head; 0 if there is none yet.
  sequence opened_seq = 0;
  /// As in `experiment_row`.
  std::string status;
  std::string why;
  std::optional<instant> finished;
  /// Experiment time of the last event.
  instant elapsed{0};
};

/// A trial's row with its JSON unread. Texts live as long as the call that passes the row on; an
/// empty text of JSON means that there is none.
struct raw_trial {
  trial_id trial;
  trial_status status = trial_status::pending;
  std::string_view config;
  std::string_view origin;
  std::string_view reason;
  std::string_view error;
  std::uint32_t failures = 0;
  std::uint64_t iterations = 0;
  std::chrono::nanoseconds time_total{0};
  std::string_view metrics;
  std::uint64_t best_iteration = 0;
  std::string_view best_metrics;
  instant created{0};
  std::optional<instant> ended;
  /// Of the best report, where that was made with another configuration than `config`.
  std::string_view best_config;
};

/// A result's row with its metrics unread, for the same time.
struct raw_result {
  sequence seq = 0;
  instant at{0};
  trial_id trial;
  attempt_id attempt;
  std::uint64_t iteration = 0;
  std::chrono::nanoseconds time_this_iter{0};
  std::chrono::nanoseconds time_total{0};
  std::int64_t timestamp_ms = 0;
  std::string_view metrics;
  /// True if some of its texts look like numbers that JSON does not know: `"nan"` may be a text.
  bool has_exceptions = false;
};

/// An attempt without its configuration.
struct raw_attempt {
  attempt_id attempt;
  trial_id trial;
  lineage_id lineage = 1;
  std::string_view node;
  std::optional<trial_id> donor;
  instant began{0};
  /// With the name of an `end_class`.
  std::optional<instant> finished;
  std::string_view end_class;
  /// See `attempt_row::costs`, unread; empty: nothing is known.
  std::string_view costs = {};
};

/// Where an attempt began.
struct attempt_origin {
  lineage_id lineage = 1;
  /// The trial whose checkpoint it was cloned from, if not its own.
  std::optional<trial_id> donor = {};
  /// It went on from a checkpoint.
  bool restored = false;
};

/// A decision with its reason unread.
struct raw_decision {
  sequence seq = 0;
  trial_id trial;
  std::uint64_t iteration = 0;
  std::string_view action;
  std::string_view reason;
};

/// An event, no report, with its body unread.
struct raw_event {
  sequence seq = 0;
  instant at{0};
  std::string_view kind;
  std::string_view body;
};

/// Whose rows events have changed.
struct touched_trials {
  /// True if it can be any trial's: all have to be read again.
  bool all = false;
  /// In any order, perhaps repeated.
  std::vector<trial_id> which = {};
  /// Number of events by kind, without reports.
  std::map<std::string, std::uint64_t> kinds = {};
};

/// Selects decisions.
struct decision_query {
  sequence after = 0;
  std::optional<trial_id> trial = {};
  /// Empty: all actions.
  std::string action = {};
  std::size_t limit = 100;
};

} // namespace tune
