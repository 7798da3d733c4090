/// Who else may write into a directory.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/error.hpp"

#include <sys/types.h>

#include <filesystem>
#include <string>

namespace tune {

/// What matters of a directory and of who works in it.
struct directory_rights {
  ::mode_t mode = 0;
  ::uid_t owner = 0;
  /// Its group is the user's own, as many systems give one to each user.
  bool private_group = false;
  /// Its file system keeps the rights that it shows. FAT, SMB and the like make them up.
  bool kept = true;
};

/// What to think of a directory for the files of `user`.
///
///   - Everybody may write there, and may remove what others wrote (no sticky bit): refused.
///   - Everybody may write there, or a group that is more than the user; or it belongs to another
///     user than root: a warning.
///
/// @returns the warning, with `path` and what mends it; empty: all is well. @errors `ec::refused`.
[[nodiscard]] expected<std::string> judge_rights(const std::filesystem::path& path,
                                                 const directory_rights& found, ::uid_t user);

/// The same for a directory as it is, where it is, and for this process's user.
[[nodiscard]] expected<std::string> check_rights(const std::filesystem::path& directory);

} // namespace tune
