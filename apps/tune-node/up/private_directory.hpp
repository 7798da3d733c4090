/// A directory of one user, closed to others, that one process at a time holds.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/error.hpp"
#include "tune/io/files/descriptor.hpp"
#include "tune/io/files/guarded_directory.hpp"

#include <filesystem>
#include <string>

namespace tune::cli {

/// Makes it, mode 0700, with its parents. @errors `ec::storage`.
[[nodiscard]] expected<void> make_private(const std::filesystem::path& directory);
/// @errors `ec::refused` if others own it or may enter it; `ec::storage`.
[[nodiscard]] expected<guarded_directory> open_private(const std::filesystem::path& directory);
/// Takes the lock that this file in it is, until the descriptor is closed.
/// Tries for a second: one that looks whether it is taken has it for a moment.
/// @param held Text for people, where another process has it.
/// @errors `ec::refused` if another process has it; `ec::storage`.
[[nodiscard]] expected<store::descriptor> lock_in(const guarded_directory& directory,
                                                  const std::string& file, const std::string& held);
/// A directory of this user's own, and the lock of a file in it.
struct held_directory {
  guarded_directory directory;
  store::descriptor lock;
};
/// Makes the directory unless it is there, and takes the lock in it. One that the process which
/// held the lock removes meanwhile is made anew: what is returned lies at its path.
/// @param held As in `lock_in`.
/// @errors Those of `make_private`, `open_private` and `lock_in`.
[[nodiscard]] expected<held_directory> hold_private(const std::filesystem::path& directory,
                                                    const std::string& file,
                                                    const std::string& held);
/// Whether a process has that lock, as far as can be seen from here: on some file systems that of
/// another machine cannot.
[[nodiscard]] bool is_locked_in(const guarded_directory& directory, const std::string& file);

} // namespace tune::cli
