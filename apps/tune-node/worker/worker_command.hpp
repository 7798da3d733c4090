/// `tune-node worker --join HOST:PORT`.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "command/command_line.hpp"
#include "exit_code.hpp"
#include "tune/core/error.hpp"
#include "tune/tuner/choices.hpp"

#include <chrono>
#include <functional>
#include <optional>

namespace tune::cli {

/// The end of a worker.
struct worker_outcome {
  exit_code code = exit_code::done;
  /// Whether it was ever a node of the head.
  bool was_joined = false;
  /// The first signal that told it to go; 0: none.
  int signal = 0;
};

/// How a worker looks for its head, where more is known of it than its addresses.
struct head_search {
  /// See `head_finder`.
  std::function<expected<void>()> check = {};
  /// Longest wait between two tries; empty: the usual one.
  std::optional<std::chrono::milliseconds> most_wait = {};
};

/// Offers this machine to a head until it is told to go. `hold_signals` was called before any
/// thread was started. Events are written to stderr, a line each.
[[nodiscard]] worker_outcome work_for_head(const command_line& line, const worker_request& what,
                                           const choices& all, const head_search& search = {});
/// The same for the command line. @returns the exit code.
[[nodiscard]] exit_code run_worker(const command_line& line, const worker_request& what,
                                   const choices& all);

} // namespace tune::cli
