/// Removal of a directory that programs could write into, with all below it and nothing else.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/error.hpp"

#include <chrono>
#include <filesystem>
#include <string>

namespace tune {

/// How long a removal may take that others wait for: the end of a run, or the next trial. File
/// systems need milliseconds for a directory, and programs may leave any number of them.
constexpr std::chrono::milliseconds removal_patience{5000};
/// As long as it takes.
constexpr auto without_limit = std::chrono::milliseconds::max();

/// Removes what has the name: a directory with all that is in it, whatever the modes below it are.
/// Links are removed, not followed. No mount point is entered: what somebody mounted there stays,
/// and its file system is not even asked, since it may never answer. Everything else below goes.
/// Directories may lie at any depth; few descriptors are open at a time.
///
/// @param directory An open directory, `O_PATH` will do. @param name in it, one without "/".
/// @param shown     What errors call it.
/// @param most      After that the rest stays, for a later call to remove.
/// @errors what stays and why, the first of it by its path, and how much more stays: `ec::refused`
///   where something is mounted or rights are missing, `ec::shortage` where it may pass, or `most`
///   is over, otherwise `ec::storage`. None where nothing has the name.
[[nodiscard]] expected<void> remove_tree(int directory, const std::string& name,
                                         const std::filesystem::path& shown,
                                         std::chrono::milliseconds most = removal_patience);

/// The same by a path. Links on the way to it are followed, and mount points entered: only for
/// places whose parent no other program changes.
[[nodiscard]] expected<void> remove_tree(const std::filesystem::path& what,
                                         std::chrono::milliseconds most = removal_patience);

/// The same for something below a directory that programs change: see `guarded_directory::open`.
/// @param trusted Where it may be trusted. @param way from there to it, not empty.
[[nodiscard]] expected<void> remove_tree_below(const std::filesystem::path& trusted,
                                               const std::filesystem::path& way,
                                               std::chrono::milliseconds most = removal_patience);

} // namespace tune
