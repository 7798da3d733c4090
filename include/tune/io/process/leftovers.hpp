/// Finds and ends trial processes that outlived their guard.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
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
};

/// Our user's processes whose tag `wanted` says yes to; never this process itself.
[[nodiscard]] std::vector<leftover>
find_leftovers(const std::function<bool(std::string_view tag)>& wanted);

/// Those that attempts of the experiment in `directory` left behind when both their node and its
/// guard were killed: their tag names the directory, and the guard they had is no more.
/// @param directory as in `trial_tag`.
[[nodiscard]] std::vector<leftover> find_orphans_of(const std::filesystem::path& directory);

/// What marks the processes of an attempt in `directory`.
[[nodiscard]] std::string trial_tag(const std::filesystem::path& directory,
                                    const std::string& attempt);

/// Ends them: TERM, then KILL after `grace`; waits until they are gone, at most `grace` and 2 s.
/// Signals go by pidfd, so that no other process can be hit.
/// @returns how many are still there.
std::size_t end_leftovers(const std::vector<leftover>& which, std::chrono::milliseconds grace);

/// Ends all that `find` finds, and looks again until it finds nothing: one that was seen may have
/// started another before it was hit. Those found later get no grace.
/// @returns how many are still there.
std::size_t end_leftovers(const std::function<std::vector<leftover>()>& find,
                          std::chrono::milliseconds grace);

} // namespace tune
