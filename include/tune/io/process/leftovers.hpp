/// Finds and ends trial processes that outlived their guard.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace tune {

/// A process that was started with TUNE_TRIAL_ATTEMPT in its environment.
struct leftover {
  pid_t pid = 0;
  /// Start time in clock ticks since boot: distinguishes it from a later process with the same PID.
  std::uint64_t start = 0;
  std::string tag;
  /// Values of TUNE_TRIAL_PLACE and TUNE_TRIAL_GUARD; empty if not set.
  std::string place = {};
  std::string guard = {};
};

/// Processes of this user whose tag satisfies `wanted`; never this process itself. None if /proc
/// belongs to another PID namespace.
[[nodiscard]] std::vector<leftover>
find_leftovers(const std::function<bool(std::string_view tag)>& wanted);

/// Processes with one of these tags that were in the care of one guard, given by its mark:
/// processes in other containers may have the same tags.
[[nodiscard]] std::vector<leftover>
find_supervised_processes_of(const std::string& guard,
                             const std::set<std::string, std::less<>>& tags);

/// Result of a search for leftovers of an experiment's directory.
struct leftovers_found {
  /// Processes left behind when both their node and its guard were killed: they were started for
  /// this directory, whatever its path is in their namespace, and their guard has certainly ended.
  std::vector<leftover> orphans;
  /// Processes that may be orphans: their guard or their directory is out of sight, as in another
  /// container.
  std::vector<leftover> unclear;
};

/// Searches for processes that attempts of the experiment in `directory` left behind.
/// @param directory as in `trial_tag`.
[[nodiscard]] leftovers_found look_for_leftovers(const std::filesystem::path& directory);

/// The orphans that `look_for_leftovers` finds.
[[nodiscard]] std::vector<leftover> find_orphans_of(const std::filesystem::path& directory);

/// Ends the orphans; leaves the unclear processes alone.
/// @param grace as in `end_leftovers`.
/// @returns one line about the processes that were left alone, and why; empty if there are none.
std::string sweep_leftovers(const std::filesystem::path& directory,
                            std::chrono::milliseconds grace);

/// Identifies a directory independently of its path, for the mark of a process: "device:inode";
/// empty if it cannot be inspected.
[[nodiscard]] std::string directory_mark(const std::filesystem::path& directory);

/// Human-readable list of the processes of attempts in `directory` or below it, shortened if there
/// are many: "1234 (python3, attempt 0.1, held by the kernel)"; empty if there is none or none can
/// be seen.
[[nodiscard]] std::string text_of_processes_below(const std::filesystem::path& directory);

/// The tag that marks the processes of an attempt in `directory`.
[[nodiscard]] std::string trial_tag(const std::filesystem::path& directory,
                                    const std::string& attempt);

/// Ends the processes with TERM, then with KILL after `grace`; waits until they are gone, at most
/// `grace` and 2 s. Signals go by pidfd, so that no other process can be hit.
/// @returns how many are still alive.
std::size_t end_leftovers(const std::vector<leftover>& which, std::chrono::milliseconds grace);

/// Ends all processes that `find` returns, and repeats until it has returned nothing three times in
/// a row: a process may have started another before it was hit. Processes found later get no grace.
/// Gives up after `grace` and 2 s if only the same ones stay, after `grace` and 10 s if new ones
/// keep appearing.
/// @returns how many are still alive.
std::size_t end_leftovers(const std::function<std::vector<leftover>()>& find,
                          std::chrono::milliseconds grace);

} // namespace tune
