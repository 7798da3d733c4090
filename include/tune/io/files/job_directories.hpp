/// The directories of the jobs that a worker works for, `<work>/jobs/<job>/`: they go with the job.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/error.hpp"

#include <chrono>
#include <filesystem>
#include <functional>
#include <string>

namespace tune {

/// Removes the directory of one job and all that is in it, whatever its trials made of their modes.
/// A crash in between leaves nothing that looks like a job. Links are removed, not followed.
/// @errors `ec::storage`; none where there is no such directory.
[[nodiscard]] expected<void> remove_job_directory(const std::filesystem::path& work,
                                                  const std::string& job);

/// Removes the directories of all jobs, and before that ends what an earlier worker left running
/// there, if it was killed together with its guard. Only for who owns `work`.
/// @param grace Between TERM and KILL.
/// @param tell  Hears of processes that were left alone: see `sweep_leftovers`.
/// @errors `ec::storage`, the first one; the others are gone all the same.
[[nodiscard]] expected<void>
sweep_job_directories(const std::filesystem::path& work, std::chrono::milliseconds grace,
                      const std::function<void(const std::string&)>& tell = {});

} // namespace tune
