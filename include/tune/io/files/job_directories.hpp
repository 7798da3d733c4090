/// The directories of a worker's jobs, `<work>/jobs/<job>/`, which are removed with the job. Beside
/// them are `.tune-work`, which marks `<work>` as made for this purpose, `lock`, and `content/`, a
/// `content_store`.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/error.hpp"

#include <chrono>
#include <filesystem>
#include <functional>
#include <set>
#include <string>

namespace tune {

/// Marks a directory that was just made for a job: only marked directories are ever swept.
/// @errors `ec::storage`.
[[nodiscard]] expected<void> mark_job_directory(const std::filesystem::path& directory);

/// Checks that `work` may be used: it does not exist, is empty (except for `lost+found`), has the
/// mark, or has only things that an earlier version made. Things added later may still belong to
/// somebody else: see `sweep_job_directories`. Changes nothing.
/// @errors `ec::storage` naming a foreign thing, or something that should be a directory but is
///         not.
[[nodiscard]] expected<void> check_work_directory(const std::filesystem::path& work);

/// Marks the directory with the file `.tune-work`, which always has the same text.
/// @errors `ec::storage`.
[[nodiscard]] expected<void> mark_work_directory(const std::filesystem::path& work);

/// Removes the directory of one job with its whole content, whatever modes its trials have set. A
/// crash in between leaves nothing that looks like a job. Symbolic links are removed, not followed.
/// Mounted things stay, and so does anything that takes too long to remove: see `remove_tree`; the
/// latter is removed with the next job, or by `sweep_job_directories`.
/// @errors `ec::storage`; `ec::refused` if something is mounted; `ec::shortage` if it takes too
///   long. A missing directory is no error.
[[nodiscard]] expected<void> remove_job_directory(const std::filesystem::path& work,
                                                  const std::string& job);

/// Removes the directories of all jobs, after ending processes that an earlier worker left running
/// there because it was killed together with its guard. Only for the owner of `work`. Things that
/// were not made for a job stay.
/// @param grace Time between TERM and KILL.
/// @param tell  Called for everything that was left alone: processes (see `sweep_leftovers`),
///   things not made for a job, and mounted things.
/// @param keep  Jobs whose directories stay; what runs there is ended all the same.
/// @errors `ec::storage`: the first error; the other directories are removed all the same.
[[nodiscard]] expected<void>
sweep_job_directories(const std::filesystem::path& work, std::chrono::milliseconds grace,
                      const std::function<void(const std::string&)>& tell = {},
                      const std::set<std::string>& keep = {});

} // namespace tune
