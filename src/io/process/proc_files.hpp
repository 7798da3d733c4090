/// Reads facts about processes from /proc.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tune::proc_files {

/// The fields of /proc/PID/stat that are needed here.
struct stat_facts {
  char state = '?';
  pid_t parent = 0;
  pid_t group = 0;
  pid_t session = 0;
  bool is_kernel_thread = false;
  /// CPU time of the children that it has waited for, and of theirs. [s]
  double children_cpu = 0;
  /// Start time in clock ticks since boot. With the PID it identifies a process for ever.
  std::uint64_t start = 0;
};

/// @returns nothing if the process is gone.
[[nodiscard]] std::optional<stat_facts> stat_of(pid_t pid);

/// The current time in the unit of `stat_facts::start`, rounded down.
[[nodiscard]] std::uint64_t now_in_ticks();

/// The value of a variable in the environment that `pid` was started with; empty if it is not set,
/// the process is gone, or it belongs to another user.
[[nodiscard]] std::optional<std::string> environment_of(pid_t pid, std::string_view name);

/// The environment that `pid` was started with, entries terminated by zeros. An empty string if it
/// was given none, or is in the middle of `execve` and will have one in a moment; no value if the
/// process is gone, has no memory of its own, or may not be inspected.
[[nodiscard]] std::optional<std::string> whole_environment_of(pid_t pid);

/// The value of a variable in such a text; empty if it is not set.
[[nodiscard]] std::optional<std::string> value_in(std::string_view environment,
                                                  std::string_view name);

/// Children of this process's first thread, adopted ones and zombies included. Exact if this
/// process has one thread.
[[nodiscard]] std::vector<pid_t> own_children();

/// Children of all threads of a process, adopted ones and zombies included; none if it is gone.
[[nodiscard]] std::vector<pid_t> children_of(pid_t pid);

/// All visible processes.
[[nodiscard]] std::vector<pid_t> all_processes();

/// PIDs of a process, from the namespace of /proc down to its own; none if it is gone.
[[nodiscard]] std::vector<pid_t> numbers_of(pid_t pid);

/// Whether /proc shows the PID namespace of this process, so that PIDs mean the same there as in
/// system calls. False after `unshare --pid` without its own /proc.
[[nodiscard]] bool shows_own_space();

/// Whether /proc certainly belongs to another namespace; false if there is no /proc at all.
[[nodiscard]] bool shows_other_space();

/// Inode of a namespace ("pid", "time", and so on) of a process; empty if it may not be inspected,
/// or the kernel has none of that kind.
[[nodiscard]] std::optional<std::uint64_t> namespace_of(pid_t pid, const char* kind);

/// The kernel's boot id; empty if it cannot be read.
[[nodiscard]] std::string boot_id();

/// The content of a small file; empty if it cannot be read.
[[nodiscard]] std::string read_small(const char* path);

/// How many processes the OOM killer has killed since boot.
[[nodiscard]] std::uint64_t system_oom_kills();

} // namespace tune::proc_files
