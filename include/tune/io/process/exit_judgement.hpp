/// Judges how a trial's program ended: by what the system says and what was heard before.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/trial/end_class.hpp"
#include "tune/io/process/line_protocol.hpp"
#include "tune/io/process/process_service.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace tune {

/// What is known of a program beside its exit.
struct exit_facts {
  /// The metric that it must have reported.
  std::string objective;
  /// It is a host of a C++ trainable, which may end without a word.
  bool is_host = false;
  /// It reported something.
  bool reported = false;
  /// The objective was among it, or is known from the reports that it goes on from.
  bool saw_objective = false;
  /// It was told to end; how it ends is then no failure.
  bool ending = false;
  /// It is not waited for any more: its last words say what it was doing.
  bool killed = false;
  /// It exported for longer than it may, and is ended for that.
  bool late_export = false;
  /// It was told to end, took longer than it may, and is ended for that.
  bool late_stop = false;
  /// What it said about its own failure.
  std::optional<line::failure> failure;
  /// Why a metric that was to be read from its output or files is missing; empty: nothing is known.
  std::string why_missing = {};
  /// What it did against the protocol before anyone asked for its end, and is ended for; empty:
  /// nothing.
  std::string breach;
};

/// How an attempt ended, as it is recorded.
struct exit_judgement {
  end_class how = end_class::finished;
  /// The reason with the program's last lines, or what is worth knowing; may be empty.
  std::string detail;
  /// Exit status; negative: the signal. Nothing where it never ran.
  std::optional<std::int32_t> exit_status;
  /// tune-node ended the program since it did not end within `stop_grace` after it was to stop.
  bool is_cut_short = false;

  friend bool operator==(const exit_judgement&, const exit_judgement&) = default;
};

/// Judges an exit. One that this node could not start is `preempted`: that costs the trial nothing.
/// Troubles of this node go before what was asked of the program, that before the program's own
/// words, and those before its status. A breach of the protocol is the program's failure unless it
/// failed by itself before we could end it. A failure by the program's own doing is one of memory
/// where its last words say so, see `names_want_of_memory`. An export that takes too long fails
/// nothing but the export.
[[nodiscard]] exit_judgement judge_exit(const exit_info& how, const exit_facts& known);

/// The same judgement where files that the program needs are gone from its node: no fault of its
/// own.
/// @param gone Which, in words; empty: none, and nothing changes.
[[nodiscard]] exit_judgement without_files(exit_judgement judged, const std::string& gone);

} // namespace tune
