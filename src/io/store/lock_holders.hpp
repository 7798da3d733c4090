/// Finds the processes that hold locks on a file, as far as this machine's kernel knows.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <sys/stat.h>

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace tune::store {

/// A held lock, from a line of /proc/locks.
struct held_lock {
  /// "FLOCK", "OFDLCK", "POSIX".
  std::string kind;
  /// Whether the lock excludes all others, not only writers.
  bool writes = false;
  /// The process that took the lock; meaningless for "OFDLCK".
  long pid = 0;
};

/// Locks on the file of `about`. Incomplete where the kernel does not know them: processes that are
/// not visible from here, other machines, file systems listed under another device number.
[[nodiscard]] std::vector<held_lock> locks_on(const struct ::stat& about);

/// Describes other processes that hold locks on one of the files, such as "process 17 (sqlite3)
/// holds a lock on x.db-shm"; empty if none is visible. Opens none of the files, since closing one
/// again would release this process's own locks.
[[nodiscard]] std::string others_with_locks_on(const std::vector<std::filesystem::path>& files);

/// The text that heads write into their lock file: "pid 17 on lab, since 2026-01-31T12:00:00Z".
[[nodiscard]] std::string head_text();

/// Whether `pid`, a visible process, is the one that `text` names, possibly by its PID in a
/// container.
[[nodiscard]] bool is_named(long pid, std::string_view text);
/// Whether `text` names a process of a machine with this one's host name.
[[nodiscard]] bool is_of_this_host(std::string_view text);

} // namespace tune::store
