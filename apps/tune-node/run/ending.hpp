/// The end of a run: what goes to stdout, and the exit code.
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

namespace tune::cli {

/// Says on stderr what went wrong. @returns the exit code for it.
exit_code complain(const error& what);

/// @param signal What interrupted the run; 0: nothing did.
[[nodiscard]] exit_code code_of(const run_summary& how, bool strict, int signal);

/// Says on stderr why a run ended that nobody wanted to end: for whoever sees no summary for
/// people.
void say_cause(const run_summary& how);

/// How a result is to be written.
struct result_request {
  const command_line& line;
  /// The specification the user gave.
  std::string file;
  /// "HOST:PORT" where the experiment ran at a head; empty: here.
  std::string head = {};
  /// The further words of that `run`; see `words_given`.
  std::vector<std::string> given = {};
  /// Writes all trials as `csv` or `jsonl`. Nothing: they are read from the directory.
  std::function<expected<void>(std::ostream&)> rows = {};
};

/// The result on stdout: the trials, the summary or both, as the format wants it.
/// @returns whether the trials could be read; complains if not.
[[nodiscard]] bool write_result(const result_request& what, const run_snapshot& last,
                                const run_summary& how, const style& look);

/// How a run is shown on stderr, without its snapshots.
[[nodiscard]] screen_options screen_of(const command_line& line, std::vector<objective> objectives);

} // namespace tune::cli
