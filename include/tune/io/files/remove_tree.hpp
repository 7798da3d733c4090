/// Removes a directory that programs could write into, with everything below it and nothing else.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/error.hpp"

#include <chrono>
#include <filesystem>
#include <string>

namespace tune {

/// Time limit of a removal that the end of a run or the next trial waits for. File systems need
/// milliseconds for a directory, and programs may leave any number of them.
constexpr std::chrono::milliseconds removal_patience{5000};
/// No time limit.
constexpr auto without_limit = std::chrono::milliseconds::max();

/// Removes anything with this name: a directory with its whole content, whatever the modes below it
/// are. Symbolic links are removed, not followed. No mount point is entered: mounted things stay,
/// and their file system is not even accessed, since it may never answer. Everything else below is
/// removed. Directories may be nested to any depth; few descriptors are open at a time.
///
/// @param directory An open directory; `O_PATH` suffices. @param name a name in it, without "/".
/// @param shown     Its path in error texts.
/// @param most      Time limit; the rest stays for a later call.
/// @errors the path of the first thing that stays, why, and how many more stay: `ec::refused` if
///   something is mounted or permissions are missing, `ec::shortage` if the cause may pass or
///   `most` is over, otherwise `ec::storage`. A missing name is no error.
[[nodiscard]] expected<void> remove_tree(int directory, const std::string& name,
                                         const std::filesystem::path& shown,
                                         std::chrono::milliseconds most = removal_patience);

/// Like the above, by path. Links in the parent path are followed and mount points entered: only
/// for places whose parent no other program changes.
[[nodiscard]] expected<void> remove_tree(const std::filesystem::path& what,
                                         std::chrono::milliseconds most = removal_patience);

/// Like the above, for something below a directory that programs change: see
/// `guarded_directory::open`.
/// @param trusted The trusted part of the path. @param way the rest of the path; not empty.
[[nodiscard]] expected<void> remove_tree_below(const std::filesystem::path& trusted,
                                               const std::filesystem::path& way,
                                               std::chrono::milliseconds most = removal_patience);

} // namespace tune
