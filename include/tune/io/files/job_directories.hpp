/// The directories of the jobs that a worker works for, `<work>/jobs/<job>/`: they go with the job.
/// Beside them lie `.tune-work`, which tells that `<work>` was made for them, `lock`, and
/// `content/`, a `content_store`.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/error.hpp"

#include <chrono>
#include <filesystem>
#include <functional>
#include <string>

namespace tune {

/// Leaves a mark in a directory that was just made for a job: only what has it is ever swept.
/// @errors `ec::storage`.
[[nodiscard]] expected<void> mark_job_directory(const std::filesystem::path& directory);

/// Looks whether `work` may be used: it is not there, it is empty (but for `lost+found`), it has
/// the mark, or it holds nothing but what an earlier version made. What is in it later may be
/// somebody's own all the same: see `sweep_job_directories`. Changes nothing.
/// @errors `ec::storage` with what is somebody's own, or is no directory where one belongs.
[[nodiscard]] expected<void> check_work_directory(const std::filesystem::path& work);

/// Leaves the mark in it: the file `.tune-work` with a text that is always the same.
/// @errors `ec::storage`.
[[nodiscard]] expected<void> mark_work_directory(const std::filesystem::path& work);

/// Removes the directory of one job and all that is in it, whatever its trials made of their modes.
/// A crash in between leaves nothing that looks like a job. Links are removed, not followed; what
/// is mounted there stays, and what takes too long to remove: see `remove_tree`. The latter goes
/// with the next job, or by `sweep_job_directories`.
/// @errors `ec::storage`, `ec::refused` where something is mounted, `ec::shortage` where it takes
///   too long; none where there is no such directory.
[[nodiscard]] expected<void> remove_job_directory(const std::filesystem::path& work,
                                                  const std::string& job);

/// Removes the directories of all jobs, and before that ends what an earlier worker left running
/// there, if it was killed together with its guard. Only for who owns `work`. What was not made for
/// a job stays.
/// @param grace Between TERM and KILL.
/// @param tell  Hears of what was left alone: processes (see `sweep_leftovers`), what was not made
///   for a job, and what is mounted.
/// @errors `ec::storage`, the first one; the others are gone all the same.
[[nodiscard]] expected<void>
sweep_job_directories(const std::filesystem::path& work, std::chrono::milliseconds grace,
                      const std::function<void(const std::string&)>& tell = {});

} // namespace tune
