/// What /proc tells about processes.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tune::proc_files {

/// The few facts of /proc/PID/stat that are needed here.
struct stat_facts {
  char state = '?';
  pid_t parent = 0;
  pid_t group = 0;
  pid_t session = 0;
  bool is_kernel_thread = false;
  /// Clock ticks since boot. With the pid it names a process for ever.
  std::uint64_t start = 0;
};

/// @returns nothing where the process is gone.
[[nodiscard]] std::optional<stat_facts> stat_of(pid_t pid);

/// Now, in the unit of `stat_facts::start`, rounded down.
[[nodiscard]] std::uint64_t now_in_ticks();

/// The value of a variable in the environment that `pid` was started with; nothing where it is not
/// set, the process is gone, or another user's.
[[nodiscard]] std::optional<std::string> environment_of(pid_t pid, std::string_view name);

/// The environment that `pid` was started with, entries ended by zeros. Empty where it was given
/// none, and while it is just executing a program, which will have one in a moment; nothing where
/// the process is gone, has no memory of its own, or may not be looked at.
[[nodiscard]] std::optional<std::string> whole_environment_of(pid_t pid);

/// The value of a variable in such a text; nothing where it is not set.
[[nodiscard]] std::optional<std::string> value_in(std::string_view environment,
                                                  std::string_view name);

/// Children of this process's first thread, adopted ones and zombies included. Exact where this
/// process has one thread.
[[nodiscard]] std::vector<pid_t> own_children();

/// Children of all threads of a process, adopted ones and zombies included; none where it is gone.
[[nodiscard]] std::vector<pid_t> children_of(pid_t pid);

/// Every process that can be seen.
[[nodiscard]] std::vector<pid_t> all_processes();

/// Numbers of a process, from the namespace that /proc shows to its own; none where it is gone.
[[nodiscard]] std::vector<pid_t> numbers_of(pid_t pid);

/// Whether /proc shows the PID namespace of this process, so that numbers mean the same there as in
/// system calls. Not after `unshare --pid` without a /proc of its own.
[[nodiscard]] bool shows_own_space();

/// Whether /proc is certainly that of another one; not where there is none at all.
[[nodiscard]] bool shows_other_space();

/// Inode of a namespace ("pid", "time", and so on) of a process; nothing where it may not be looked
/// at, or the kernel has none of that kind.
[[nodiscard]] std::optional<std::uint64_t> namespace_of(pid_t pid, const char* kind);

/// The kernel's boot id; empty where it cannot be read.
[[nodiscard]] std::string boot_id();

/// The whole of a small file; empty where it cannot be read.
[[nodiscard]] std::string read_small(const char* path);

/// How many processes the kernel killed for want of memory since boot.
[[nodiscard]] std::uint64_t system_oom_kills();

} // namespace tune::proc_files
