/// The commands that make sense after a run, for the user to copy.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "console/run_snapshot.hpp"
#include "tune/core/experiment/command.hpp"

#include <string>
#include <vector>

namespace tune::cli {

/// How an experiment ended, besides the facts of its snapshot.
struct run_ending {
  experiment_status status = experiment_status::done;
  /// Why, if that is worth saying; may be empty.
  std::string why;
  /// The specification that the user gave to `run`; empty: none.
  std::string spec_file;
  /// "HOST:PORT" of the head where it ran; empty: here.
  std::string head = {};
  /// The further words of that command, without the experiment's name; not quoted.
  std::vector<std::string> given = {};
  /// The command that ran it: "run"; "launch" or "up", which go on by themselves when they are
  /// called again.
  std::string command = "run";
  /// The command that goes on with it, if that is not `resume` here, and what its placeholders
  /// mean; empty: it is.
  std::string way_on = {};
  std::string way_on_note = {};
  /// Whether it broke off because its record could not be written.
  bool has_lost_record = false;
  /// Whether its record is no longer where it was begun.
  bool is_gone = false;
  /// Whether an executor runs its trials (`ask-tell`).
  bool is_asked = false;
};

/// The exact commands that make sense next, each with a word about its effect.
struct next_step {
  std::string command;
  std::string purpose;
};
[[nodiscard]] std::vector<next_step> next_steps(const run_snapshot& x, const run_ending& end);

} // namespace tune::cli
