/// An attempt that has not ended, as the state machine knows it.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "answered_reports.hpp"
#include "handovers.hpp"
#include "report_marks.hpp"

#include "tune/core/experiment/experiment.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace tune {

/// Stage of an attempt.
enum class phase : std::uint8_t { placing, restoring, stepping, saving, stopping };

/// Next step of a running trial, taken as soon as its phase allows; a greater one wins.
enum class intent : std::uint8_t { nothing, go_on, save, pause, exploit, stop };

/// The last checkpoint that an attempt was asked for.
struct requested_save {
  /// Empty once it is registered or has failed.
  checkpoint_id id;
  report_marks marks;
  /// The attempt ends with it. Also true if the attempt ends with one that it handed over.
  bool ends = false;
  /// It may be written into the node's memory.
  bool in_memory = false;
};

/// An attempt that ends since its head or one of its nodes is about to go.
struct leave_taking {
  /// True if one of its nodes announced that it is about to go.
  bool node_goes = false;
  /// The attempt pauses for that: the trial resumes by itself.
  bool pauses = false;
  /// It was to pause so, but the checkpoint for that was not kept.
  bool is_unsaved = false;
};

/// What an attempt does for the end of its trial.
struct end_duty {
  /// It starts where the trial ended, and does nothing else.
  bool is_all = false;
  /// It was told to export at its end.
  bool is_to_export = false;
  /// It has reported how the export went.
  bool exported = false;
};

/// One open attempt.
struct open_attempt {
  attempt_id id;
  phase at = phase::placing;
  lease where;
  /// Configuration of this attempt; the trial's own may have changed since, for the next attempt.
  config_ptr config;
  checkpoint_id from;
  /// Trial that `from` belongs to, if it is another one.
  std::optional<trial_id> donor;
  instant began{0};
  /// Time of the last sign of life.
  instant heard{0};
  std::int64_t pid = 0;
  answered_reports reports;
  requested_save save;
  /// No checkpoint may be written into the node's memory, since one failed there or the node is
  /// about to leave.
  bool no_memory = false;
  leave_taking leaves;
  /// True if the scheduler asked for the next checkpoint as such, not only for a pause.
  bool saves_for_others = false;
  intent next = intent::nothing;
  /// The attempt is ending, and its last result is in: further reports do not count.
  bool closed = false;
  std::uint64_t go_on_until = 0;
  /// Marks of the newest reports, by iteration, since a checkpoint may become safe some reports
  /// later. Empty where there are no checkpoints.
  std::map<std::uint64_t, report_marks> marks;
  /// Reason for which the attempt was killed; becomes its end class.
  std::optional<end_class> killed_for;
  handovers handed_over;
  /// The attempt was asked to save, and replied that it cannot: it is not asked again.
  bool unable = false;
  /// The log already notes that the attempt is to pause but has brought no checkpoint yet.
  bool noted_waiting = false;
  end_duty ending;

  /// True while a report waits for its answer.
  [[nodiscard]] bool at_boundary() const { return reports.wait(); }
  /// True if a checkpoint came with the last report, on its way or registered.
  [[nodiscard]] bool has_checkpoint() const { return handed_over.has(reports.iteration()); }
  /// Node of the trainable.
  [[nodiscard]] const std::string& home() const { return where.bundles.front().node; }
  /// Whether the attempt holds resources of that node.
  [[nodiscard]] bool is_on(const std::string& node) const {
    return std::any_of(where.bundles.begin(), where.bundles.end(),
                       [&](const auto& x) { return x.node == node; });
  }
};

} // namespace tune
