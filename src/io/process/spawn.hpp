/// Starts one trial process. For the guard only: it needs a process of one thread.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/error.hpp"

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace tune {

/// What the new process gets. It gets nothing else: no other descriptor, no blocked signal.
struct spawn_order {
  std::vector<std::string> argv;
  std::vector<std::string> env;
  std::string directory;
  /// Ours that become 0, 1, 2, … of the process. All >= 16, so that none is overwritten.
  std::vector<int> fds;
  /// Resource and value, as for setrlimit; of open files only the soft limit.
  std::vector<std::pair<std::uint32_t, std::uint64_t>> limits;
  /// `cgroup.procs` of the group to join, or -1.
  int cgroup_members = -1;
};

/// Runs a program in a session of its own; it dies with this process.
///
/// `argv[0]` without a slash is looked up in the PATH of `env`; a file without "#!" is run by
/// /bin/sh, as shells do. Returns when the program was executed.
///
/// @errors The step, the file and the reason: `ec::process` where the command is wrong,
///         `ec::shortage` where this machine lacks processes, descriptors or memory for now,
///         `ec::storage` where it cannot start it otherwise.
[[nodiscard]] expected<pid_t> spawn(const spawn_order& what);

} // namespace tune
