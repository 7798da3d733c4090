/// Whose a trial's process is, and whether its guard still lives: what a sweep may end. Rules only;
/// what is seen comes from io.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tune {

/// A process, named for ever: no other process of any boot or container has the same name.
struct process_name {
  /// The kernel's boot id.
  std::string boot;
  /// Inode of its PID namespace, in which `pid` counts.
  std::uint64_t space = 0;
  /// Inode of its time namespace, in which `start` counts; 0: the kernel knows none.
  std::uint64_t clock = 0;
  std::int64_t pid = 0;
  /// Clock ticks since boot.
  std::uint64_t start = 0;

  friend bool operator==(const process_name&, const process_name&) = default;
};

/// "boot:space:clock:pid:start".
[[nodiscard]] std::string to_text(const process_name& what);
/// The reverse. Anything may follow behind a further colon. @returns nothing where it is no name.
[[nodiscard]] std::optional<process_name> process_name_from_text(std::string_view text);

/// A process that lives, as whoever looks sees it.
struct seen_process {
  /// Its number here.
  std::int64_t pid = 0;
  /// Its number in its own namespace.
  std::int64_t inner_pid = 0;
  /// Inode of that namespace; nothing: it may not be looked at.
  std::optional<std::uint64_t> space;
  /// As the time namespace of whoever looks counts.
  std::uint64_t start = 0;
};

/// All that can be seen from one place. A process that has ended and waits to be reaped is no part.
struct process_view {
  std::string boot;
  std::uint64_t space = 0;
  std::uint64_t clock = 0;
  std::vector<seen_process> all;
};

enum class process_fate : std::uint8_t { lives, gone, unknown };

/// What has become of the guard of a process that lives in sight.
///
/// The guard's PID namespace is the one of whoever looks, or one inside it, or one around it. Only
/// of the first two can be told that it is gone: a process of that namespace is seen then, and so
/// are all of them.
[[nodiscard]] process_fate fate_of(const process_name& guard, const process_view& from);

/// A directory as the kernel knows it, whatever its path.
struct directory_name {
  std::uint64_t device = 0;
  std::uint64_t inode = 0;

  friend bool operator==(const directory_name&, const directory_name&) = default;
};

/// "device:inode".
[[nodiscard]] std::string to_text(const directory_name& what);
/// The reverse. @returns nothing where it is no name.
[[nodiscard]] std::optional<directory_name> directory_name_from_text(std::string_view text);

/// What a trial's process tells of itself.
struct trial_process_facts {
  /// Its mark names the path that is swept.
  bool has_our_path = false;
  /// The directory that it was started for; nothing: its mark does not say.
  std::optional<directory_name> marked;
  /// What lies at that path where the process looks; nothing: that cannot be seen.
  std::optional<directory_name> seen;
  /// Its guard.
  process_fate guard = process_fate::unknown;
};

enum class leftover_verdict : std::uint8_t {
  /// Of other trials, or its guard looks after it.
  not_ours,
  /// Ours, and nobody else would end it.
  leftover,
  /// It could be: it must be left alone.
  unclear,
};

/// Whether a sweep of `directory` may end a trial's process.
[[nodiscard]] leftover_verdict judge_leftover(const trial_process_facts& what,
                                              const directory_name& directory);

} // namespace tune
