/// Checks whether other users may write into a directory.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/error.hpp"

#include <sys/types.h>

#include <filesystem>
#include <string>

namespace tune {

/// The facts about a directory that decide whether it is safe.
struct directory_rights {
  ::mode_t mode = 0;
  ::uid_t owner = 0;
  /// True if its group is the user's private group, as many systems create one for each user.
  bool private_group = false;
  /// True if the file system stores the permissions that it shows. FAT, SMB and the like make them
  /// up.
  bool kept = true;
};

/// Judges whether a directory is safe for the files of `user`.
///
///   - Everybody may write there and remove other users' files (no sticky bit): refused.
///   - Everybody may write there, or a group with members other than the user; or the directory
///     belongs to another user than root: a warning.
///
/// @returns the warning, with `path` and a remedy; empty if all is well. @errors `ec::refused`.
[[nodiscard]] expected<std::string> judge_rights(const std::filesystem::path& path,
                                                 const directory_rights& found, ::uid_t user);

/// Like `judge_rights`, for an existing directory and this process's user.
[[nodiscard]] expected<std::string> check_rights(const std::filesystem::path& directory);

} // namespace tune
