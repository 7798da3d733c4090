/// Who holds locks on a file, as the kernel of this machine tells.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <sys/stat.h>

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace tune::store {

/// A lock that is held, by a line of /proc/locks.
struct held_lock {
  /// "FLOCK", "OFDLCK", "POSIX".
  std::string kind;
  /// Whether it keeps all others out, not only writers.
  bool writes = false;
  /// Process that took it; nothing useful for "OFDLCK".
  long pid = 0;
};

/// Locks on the file of `about`. None where the kernel does not tell: processes that cannot be seen
/// from here, other machines, file systems that are listed under another number.
[[nodiscard]] std::vector<held_lock> locks_on(const struct ::stat& about);

/// Processes other than this one that hold locks on one of the files, as in "process 17 (sqlite3)
/// holds a lock on x.db-shm"; empty where none can be seen. Opens none of them: to close one again
/// would take this process's own locks away.
[[nodiscard]] std::string others_with_locks_on(const std::vector<std::filesystem::path>& files);

/// What heads write into the file that they lock: "pid 17 on lab, since 2026-01-31T12:00:00Z".
[[nodiscard]] std::string head_text();

/// Whether `pid`, a process seen from here, is the one that `text` names, perhaps by its number in
/// a container.
[[nodiscard]] bool is_named(long pid, std::string_view text);
/// Whether `text` names a process of a machine that is called like this one.
[[nodiscard]] bool is_of_this_host(std::string_view text);

} // namespace tune::store
