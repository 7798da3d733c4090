/// An attempt that has not ended, as the state machine knows it.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

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
  /// Number and iteration of the last report, and the number that was answered last.
  std::uint64_t reported = 0;
  std::shared_ptr<const report> newest;
  std::uint64_t iteration = 0;
  std::uint64_t answered = 0;
  /// Reports up to this iteration need no verdict.
  std::uint64_t credit = 0;
  /// Report that is being judged; 0: none.
  sequence judging = 0;
  requested_save save;
  /// No checkpoint may be written into the node's memory, since one failed there or the node is
  /// about to leave.
  bool no_memory = false;
  /// True if one of the attempt's nodes announced that it is about to go.
  bool node_leaves = false;
  /// True if the scheduler asked for the next checkpoint as such, not only for a pause.
  bool saves_for_others = false;
  intent next = intent::nothing;
  /// The attempt pauses because its head or node is about to go: the trial resumes by itself.
  bool leaves_off = false;
  /// The attempt was to leave off, but the checkpoint for that was not kept.
  bool leaves_unsaved = false;
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
  /// `is_to_export`: the attempt was told to export at its end. `exported`: it has reported how the
  /// export went.
  bool is_to_export = false;
  bool exported = false;
  /// The attempt starts where its trial ended, and only exports.
  bool only_ends = false;

  /// True while a report waits for its answer.
  [[nodiscard]] bool at_boundary() const { return answered < reported; }
  /// True if a checkpoint came with the last report, on its way or registered.
  [[nodiscard]] bool has_checkpoint() const { return handed_over.has(iteration); }
  /// Node of the trainable.
  [[nodiscard]] const std::string& home() const { return where.bundles.front().node; }
  /// Whether the attempt holds resources of that node.
  [[nodiscard]] bool is_on(const std::string& node) const {
    return std::any_of(where.bundles.begin(), where.bundles.end(),
                       [&](const auto& x) { return x.node == node; });
  }
};

} // namespace tune
