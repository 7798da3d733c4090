/// The end of a run: output on stdout, and the exit code.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "command/command_line.hpp"
#include "console/run_snapshot.hpp"
#include "exit_code.hpp"
#include "run/screen.hpp"
#include "tune/actors/runner.hpp"

#include <functional>
#include <iosfwd>
#include <string>
#include <vector>

namespace tune::cli {

/// Shows an error on stderr. @returns the exit code for it.
exit_code complain(const error& what);

/// Shows warnings on stderr, one line each, unless it is to be quiet.
void warn(const std::vector<std::string>& lines, bool quiet);

/// @param signal The signal that interrupted the run; 0: none.
[[nodiscard]] exit_code exit_code_of(const run_summary& how, bool strict, int signal);

/// Shows on stderr why a run ended unexpectedly, for users who get no summary for people.
void say_cause(const run_summary& how);

/// Describes how a result is to be written.
struct result_request {
  const command_line& line;
  /// The specification that the user gave.
  std::string file;
  /// "HOST:PORT" where the experiment ran at a head; empty: here.
  std::string head = {};
  /// The further words of that command; see `words_given`.
  std::vector<std::string> given = {};
  /// Writes all trials as `csv` or `jsonl`. Null: they are read from the directory.
  std::function<expected<void>(std::ostream&)> rows = {};
  /// Whether an executor runs the trials (`ask-tell`).
  bool is_asked = false;
  /// See `run_ending`.
  std::string command = "run";
  std::string way_on = {};
  std::string way_on_note = {};
};

/// Writes the result on stdout: the trials, the summary or both, as the format requires.
/// @returns whether the trials could be read; complains if not.
[[nodiscard]] bool write_result(const result_request& what, const run_snapshot& last,
                                const run_summary& how, const style& look);

/// How a run is shown on stderr; without the functions that take snapshots.
[[nodiscard]] screen_options screen_of(const command_line& line, std::vector<objective> objectives);

} // namespace tune::cli
