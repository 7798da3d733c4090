/// The guard: one small process per node that starts, owns, reaps and ends all trial processes.
///
/// It is this program again, in a session of its own, with one thread. It ends when its node does,
/// and nothing that it started outlives it.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/error.hpp"
#include "unique_fd.hpp"

#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>

namespace tune {

/// Runs the guard where `argv[1]` says so. @returns its exit status; nothing: this is no guard.
[[nodiscard]] std::optional<int> guard_main(int argc, char** argv);

/// A running guard, as its node sees it. The descriptor's end ends the guard.
struct guard_connection {
  pid_t pid = 0;
  unique_fd socket;
  /// Tells it from all other processes, later ones of its number included.
  std::string mark;
};

/// Waits for the end of a guard that was killed or told to end. @returns whether it came in time.
bool bury_guard(pid_t pid, std::chrono::milliseconds patience);

/// Starts a guard and waits for its first word.
/// @param program usually `own_program()`.
/// @errors `ec::process` if it does not come up within `patience`, `ec::shortage` where this
///         machine lacks processes or descriptors for now, `ec::refused` inside a program that was
///         itself started as guard or host.
[[nodiscard]] expected<guard_connection> start_guard(const std::filesystem::path& program,
                                                     std::chrono::milliseconds patience);

} // namespace tune
