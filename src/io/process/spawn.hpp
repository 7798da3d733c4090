/// Starts one trial process. For the guard only: it needs a single-threaded process.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/error.hpp"

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace tune {

/// Everything the new process gets: no other descriptor and no blocked signal.
struct spawn_order {
  std::vector<std::string> argv;
  std::vector<std::string> env;
  std::string directory;
  /// This process's descriptors that become 0, 1, 2, … of the new one. All >= 16, so that none is
  /// overwritten.
  std::vector<int> fds;
  /// Resource and value, as for setrlimit; for open files only the soft limit is set.
  std::vector<std::pair<std::uint32_t, std::uint64_t>> limits;
  /// Descriptor of `cgroup.procs` of the group to join, or -1.
  int cgroup_members = -1;
};

/// Runs a program in its own session; it dies with this process.
///
/// `argv[0]` without a slash is looked up in the PATH of `env`; a file without "#!" is run by
/// /bin/sh, as shells do. Returns once the program was executed.
///
/// @errors The step, the file and the reason: `ec::process` if the command is wrong, `ec::shortage`
///         if this machine lacks processes, descriptors or memory for now, `ec::storage` if it
///         cannot start the program for another reason.
[[nodiscard]] expected<pid_t> spawn(const spawn_order& what);

} // namespace tune
