/// Everything recorded about one trial: `tune-node trials DIR --why TRIAL`.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "inspect/suggestion.hpp"
#include "output/format.hpp"
#include "tune/core/error.hpp"
#include "tune/core/experiment/settings.hpp"
#include "tune/io/store/best_checkpoint.hpp"
#include "tune/io/store/rows.hpp"

#include <iosfwd>
#include <optional>
#include <vector>

namespace tune {
class store_reader;
}

namespace tune::cli {

/// A trial and its history, each list in the order of the log.
struct trial_story {
  trial_row trial;
  std::vector<attempt_row> attempts;
  std::vector<decision_row> decisions;
  std::vector<checkpoint_row> checkpoints;
  std::vector<export_row> exports = {};
  /// The checkpoint of its best report, or of the best report that has one.
  std::optional<saved_report> best_checkpoint = {};
  /// Who keeps the trial from running: a client, a scheduler that paused it, or, for a pending
  /// trial, what its experiment waits for, as its head says.
  std::string waits_for = {};
  /// See `run_snapshot`.
  std::vector<std::string> object_parameters = {};
  /// Why its configuration was proposed.
  suggestion_story suggestion = {};
};

/// Leaves out what says again that an attempt is to stop: where a decision on another trial stops
/// it while its own report is being judged, the answer to that report says so once more, and both
/// are recorded.
void leave_out_repeated(std::vector<decision_row>& all);

/// Reads a story. @returns nothing if there is no such trial. @errors of the reader.
/// @param by Determines the best report. @param constraints Constraints on the best report.
[[nodiscard]] expected<std::optional<trial_story>> read_story(store_reader& from, trial_id which,
                                                              const objective& by,
                                                              const constraint_list& constraints);

/// Sets what a trial waits for if a client holds it, whatever its experiment waits for.
/// @param release What lets it run again, for people. @errors of the reader.
[[nodiscard]] expected<void> tell_who_holds(trial_story& of, store_reader& from,
                                            const std::string& release);

/// Sets what a trial waits for that its scheduler paused, lost what it had paused with, and was not
/// chosen again since. @errors of the reader.
[[nodiscard]] expected<void> tell_if_scheduler_holds(trial_story& of, store_reader& from);

/// Writes a story: headed tables for people, one JSON object, or the decisions alone as CSV
/// (`seq,attempt,iteration,action,reason`, the reason as JSON).
void write_story(const trial_story& x, const std::vector<objective>& objectives,
                 output_format format, const table_look& look, std::ostream& out);

} // namespace tune::cli
