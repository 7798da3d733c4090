/// What a standing head keeps of the experiments that run under it, for the head after it.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/net/submission_server.hpp"

#include <filesystem>
#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace tune::cli {

/// Name of the file in an experiment's directory, from its beginning until it ends in order.
inline constexpr std::string_view resumption_file = ".tune_submission";

/// @param head Name of the head, as in `head_mark`. @errors `ec::storage`.
[[nodiscard]] expected<void> write_resumption(const std::filesystem::path& directory,
                                              const std::string& head,
                                              const running_submission& what);
/// Whether the experiment is over, and has nothing to go on with. False if that cannot be read.
[[nodiscard]] bool has_ended(const std::filesystem::path& directory);

[[nodiscard]] bool has_resumption(const std::filesystem::path& directory);
/// A missing one is no error. @errors `ec::storage`.
[[nodiscard]] expected<void> remove_resumption(const std::filesystem::path& directory);

/// The experiments in `storage` that were with the head of this name when it died, as they came.
/// @param tell Told of those that cannot go on, as a line for people each.
[[nodiscard]] std::vector<running_submission>
find_resumptions(const std::filesystem::path& storage, const std::string& head,
                 const std::function<void(const std::string&)>& tell);

/// Copies the files of an experiment into this head's own directory, if the head before had another
/// one.
/// @param work As in `work_directory`. @errors `ec::storage`.
[[nodiscard]] expected<void> bring_files(running_submission& what,
                                         const std::filesystem::path& work);

/// Releases the record of an experiment that a head holds which was put out of the lead.
/// @errors `ec::storage`.
[[nodiscard]] expected<void> release_record(const std::filesystem::path& storage,
                                            const running_submission& what);

/// The directories of their jobs.
[[nodiscard]] std::set<std::string> jobs_of(const std::vector<running_submission>& what);

} // namespace tune::cli
