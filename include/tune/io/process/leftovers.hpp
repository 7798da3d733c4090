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

/// A process with TUNE_TRIAL_ATTEMPT in the environment it was started with.
struct leftover {
  pid_t pid = 0;
  /// Clock ticks since boot: tells it from a later process of the same number.
  std::uint64_t start = 0;
  std::string tag;
  /// Likewise TUNE_TRIAL_PLACE and TUNE_TRIAL_GUARD; empty where they are not set.
  std::string place = {};
  std::string guard = {};
};

/// Our user's processes whose tag `wanted` says yes to; never this process itself. None where /proc
/// is that of another PID namespace.
[[nodiscard]] std::vector<leftover>
find_leftovers(const std::function<bool(std::string_view tag)>& wanted);

/// Those of these tags that were in the care of one guard, by its mark: others may have such tags
/// in other containers.
[[nodiscard]] std::vector<leftover>
find_supervised_processes_of(const std::string& guard,
                             const std::set<std::string, std::less<>>& tags);

/// What a look for leftovers of an experiment's directory found.
struct leftovers_found {
  /// Left behind when both their node and its guard were killed: the directory is the one that they
  /// were started for, whatever its path is where they live, and their guard is certainly no more.
  std::vector<leftover> orphans;
  /// They may be: their guard, or their directory, is out of sight, as in another container.
  std::vector<leftover> unclear;
};

/// Looks for processes that attempts of the experiment in `directory` left behind.
/// @param directory as in `trial_tag`.
[[nodiscard]] leftovers_found look_for_leftovers(const std::filesystem::path& directory);

/// The orphans among them.
[[nodiscard]] std::vector<leftover> find_orphans_of(const std::filesystem::path& directory);

/// Ends the orphans, and leaves alone what is unclear.
/// @param grace as in `end_leftovers`.
/// @returns one line that tells of the processes that were left alone, and why; empty: none.
std::string sweep_leftovers(const std::filesystem::path& directory,
                            std::chrono::milliseconds grace);

/// The directory as the kernel knows it, for the mark of a process: "device:inode"; empty where it
/// cannot be looked at.
[[nodiscard]] std::string directory_mark(const std::filesystem::path& directory);

/// Names for people the processes of attempts in `directory` or below it, few of many: "1234
/// (python3, attempt 0.1, held by the kernel)"; empty where there is none, or none can be seen.
[[nodiscard]] std::string text_of_processes_below(const std::filesystem::path& directory);

/// What marks the processes of an attempt in `directory`.
[[nodiscard]] std::string trial_tag(const std::filesystem::path& directory,
                                    const std::string& attempt);

/// Ends them: TERM, then KILL after `grace`; waits until they are gone, at most `grace` and 2 s.
/// Signals go by pidfd, so that no other process can be hit.
/// @returns how many are still there.
std::size_t end_leftovers(const std::vector<leftover>& which, std::chrono::milliseconds grace);

/// Ends all that `find` finds, and looks again until it found nothing three times in a row: one
/// that was seen may have started another before it was hit. Those found later get no grace. Gives
/// up after `grace` and 2 s where only the same ones stay, after `grace` and 10 s where new ones
/// come all the time.
/// @returns how many are still there.
std::size_t end_leftovers(const std::function<std::vector<leftover>()>& find,
                          std::chrono::milliseconds grace);

} // namespace tune
