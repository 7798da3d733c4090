/// The guard: one small process per node that starts, owns, reaps and ends all trial processes.
///
/// The guard is this program, started again in a session of its own, with one thread. It ends when
/// its node does, and nothing that it started outlives it.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "posix/unique_fd.hpp"
#include "tune/core/error.hpp"

#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>

namespace tune {

/// Variable of a guard's environment: the number of the signal that programs begin with ignored.
inline constexpr const char* guard_ignores = "TUNE_GUARD_IGNORES";

/// Runs the guard if `argv[1]` says so. @returns its exit status; empty if this process is not a
/// guard.
[[nodiscard]] std::optional<int> guard_main(int argc, char** argv);

/// The node's handle to a running guard. Closing the socket ends the guard.
struct guard_connection {
  pid_t pid = 0;
  unique_fd socket;
  /// Distinguishes it from all other processes, even later ones with the same PID.
  std::string mark;
};

/// Waits for the end of a guard that was killed or told to end. @returns whether it ended in time.
bool bury_guard(pid_t pid, std::chrono::milliseconds patience);

/// Starts a guard and waits for its first message.
/// @param program usually `own_program()`.
/// @errors `ec::process` if the guard does not come up within `patience`, `ec::shortage` if this
///         machine lacks processes or descriptors for now, `ec::refused` inside a program that was
///         itself started as guard or host.
[[nodiscard]] expected<guard_connection> start_guard(const std::filesystem::path& program,
                                                     std::chrono::milliseconds patience);

} // namespace tune
