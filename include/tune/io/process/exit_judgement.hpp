/// Judges how a trial's program ended, from its exit status and from what it reported before.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/trial/end_class.hpp"
#include "tune/io/process/line_protocol.hpp"
#include "tune/io/process/process_service.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace tune {

/// Everything known about a program except its exit.
struct exit_facts {
  /// The metric that the program must have reported.
  std::string objective;
  /// True for a host of a C++ trainable, which may end without reporting anything.
  bool is_host = false;
  /// True if the program reported something.
  bool reported = false;
  /// True if a report had the objective, or if it is known from the reports that the attempt goes
  /// on from.
  bool saw_objective = false;
  /// True if the program was told to end; the way it ends is then no failure.
  bool ending = false;
  /// True if the program was killed because nobody waits for it any longer: its last output lines
  /// say what it was doing.
  bool killed = false;
  /// True if the program was ended because it exported for longer than it may.
  bool late_export = false;
  /// True if the program was told to end, took longer than it may, and was ended for that.
  bool late_stop = false;
  /// The failure that the program itself reported.
  std::optional<line::failure> failure;
  /// True if its metrics are read from stderr alone.
  bool reads_stderr = false;
  /// Why a metric that should come from the program's output or files is missing; empty if unknown.
  std::string why_missing = {};
  /// The breach of the protocol that the program is ended for, if it happened before its end was
  /// requested; empty if none.
  std::string breach;
};

/// The end of an attempt, as it is recorded.
struct exit_judgement {
  end_class how = end_class::finished;
  /// The reason with the program's last lines, or a remark about the end; may be empty.
  std::string detail;
  /// Exit status; negative for a signal. Empty if the program never ran.
  std::optional<std::int32_t> exit_status;
  /// True if tune-node ended the program because it did not end within `stop_grace` after it was to
  /// stop.
  bool is_cut_short = false;

  friend bool operator==(const exit_judgement&, const exit_judgement&) = default;
};

/// Judges an exit. A program that this node could not start is `preempted`, which costs the trial
/// nothing. Order of precedence: troubles of this node, what was asked of the program, the failure
/// that the program reported, its exit status. A breach of the protocol is the program's failure
/// unless the program failed by itself before it could be ended. A program that failed by itself is
/// `out_of_memory` if its last words say so, see `names_want_of_memory`. An export that takes too
/// long fails only the export.
[[nodiscard]] exit_judgement judge_exit(const exit_info& how, const exit_facts& known);

/// Changes a judgement where files that the program needs are gone from its node, which is not the
/// program's fault.
/// @param gone The missing files, in words; if empty, the judgement is returned unchanged.
[[nodiscard]] exit_judgement without_files(exit_judgement judged, const std::string& gone);

} // namespace tune
