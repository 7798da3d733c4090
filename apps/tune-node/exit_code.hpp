/// The exit codes of `tune-node`: part of its interface, the same for all commands.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/error.hpp"

#include <span>
#include <string_view>

namespace tune::cli {

/// How the process ends. Scripts rely on the numbers: they are never changed, only added to.
enum class exit_code : int {
  /// The work is done.
  done = 0,
  /// The program itself is at fault.
  internal = 1,
  /// The command line has the wrong shape.
  usage = 2,
  /// A bad value or unreadable file, from file, environment or command line.
  configuration = 3,
  /// Some trials failed: with `--strict`, or where `fail_fast` ended the run.
  some_failed = 4,
  /// No trial succeeded.
  none_succeeded = 5,
  /// The cluster could not be reached or joined.
  unreachable = 6,
  /// The database, a directory or the disk failed, or has corrupt content.
  storage = 7,
  /// Refused to protect data or the network.
  refused = 8,
  /// Preempted or stalled; the same command continues.
  again = 75,
  /// Ended by SIGHUP: the terminal was closed.
  hung_up = 129,
  /// Ended by Ctrl-C (SIGINT).
  interrupted = 130,
  /// Ended by SIGTERM.
  terminated = 143,
};

/// One line of the documentation of exit codes.
struct exit_code_doc {
  exit_code code;
  std::string_view meaning;
};

/// All codes in rising order, for help texts and documents.
[[nodiscard]] std::span<const exit_code_doc> exit_code_docs();

/// The code for a command that failed with `what`. That of a run which came to an end is
/// `exit_code_of` in run/ending.hpp.
[[nodiscard]] exit_code exit_code_for(ec what);

} // namespace tune::cli
