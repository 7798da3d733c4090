/// Owner of a trial's process, and whether its guard still lives: decides what a sweep may end.
/// Rules only; the observations come from io.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tune {

/// A permanent name of a process: no other process of any boot or container has the same name.
struct process_name {
  /// The kernel's boot id.
  std::string boot;
  /// Inode of the PID namespace in which `pid` counts.
  std::uint64_t space = 0;
  /// Inode of the time namespace in which `start` counts; 0: the kernel has none.
  std::uint64_t clock = 0;
  std::int64_t pid = 0;
  /// Clock ticks since boot.
  std::uint64_t start = 0;

  friend bool operator==(const process_name&, const process_name&) = default;
};

/// "boot:space:clock:pid:start".
[[nodiscard]] std::string to_text(const process_name& what);
/// Inverse of `to_text`. Anything may follow behind a further colon. @returns empty if `text` is no
/// name.
[[nodiscard]] std::optional<process_name> process_name_from_text(std::string_view text);

/// A live process, as the observer sees it.
struct seen_process {
  /// PID in the observer's namespace.
  std::int64_t pid = 0;
  /// PID in the process's own namespace.
  std::int64_t inner_pid = 0;
  /// Inode of its own PID namespace; empty: not readable.
  std::optional<std::uint64_t> space;
  /// In clock ticks since boot, as the observer's time namespace counts.
  std::uint64_t start = 0;
};

/// All processes that can be seen from one place, without those that have ended and wait to be
/// reaped.
struct process_view {
  std::string boot;
  std::uint64_t space = 0;
  std::uint64_t clock = 0;
  std::vector<seen_process> all;
};

enum class process_fate : std::uint8_t { lives, gone, unknown };

/// The fate of the guard of a process that lives in sight.
///
/// The guard's PID namespace is the observer's, or one inside it, or one around it. Only in the
/// first two cases can it be known that the guard is gone: a process of that namespace is seen
/// then, and so are all of them.
[[nodiscard]] process_fate fate_of(const process_name& guard, const process_view& from);

/// Identity of a directory in the kernel, whatever its path.
struct directory_name {
  std::uint64_t device = 0;
  std::uint64_t inode = 0;

  friend bool operator==(const directory_name&, const directory_name&) = default;
};

/// "device:inode".
[[nodiscard]] std::string to_text(const directory_name& what);
/// Inverse of `to_text`. @returns empty if `text` is no name.
[[nodiscard]] std::optional<directory_name> directory_name_from_text(std::string_view text);

/// Facts that a trial's process reveals.
struct trial_process_facts {
  /// True if the process's mark names the swept path.
  bool has_our_path = false;
  /// The directory that it was started for; empty: its mark does not say.
  std::optional<directory_name> marked;
  /// The directory at that path as the process sees it; empty: that cannot be seen.
  std::optional<directory_name> seen;
  /// Fate of its guard.
  process_fate guard = process_fate::unknown;
};

enum class leftover_verdict : std::uint8_t {
  /// The process was started for another directory, or its guard looks after it.
  not_ours,
  /// The process was started for `directory`, and no one else would end it.
  leftover,
  /// The process may have been started for it: it must be left alone.
  unclear,
};

/// Whether a sweep of `directory` may end a trial's process.
[[nodiscard]] leftover_verdict judge_leftover(const trial_process_facts& what,
                                              const directory_name& directory);

} // namespace tune
