/// An open directory of a checkpoint or draft. Private to checkpoints.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/io/files/guarded_directory.hpp"

#include <filesystem>
#include <string>

namespace tune {

/// Anything mounted later on the way to it, on it, or in it is neither entered nor accessed,
/// because all work on the checkpoint goes through these two directories.
struct held_checkpoint {
  /// The parent folder.
  guarded_directory folder;
  guarded_directory self;

  [[nodiscard]] const std::filesystem::path& path() const { return self.path(); }
  [[nodiscard]] std::string name() const { return path().filename().string(); }
};

/// The path below which programs change the way to a checkpoint: its "trials", which may be a
/// symbolic link or a mount made by the user.
/// @param directory ".../trials/<trial>/<attempt>/<name>"; for other paths the result is the
///                  parent.
[[nodiscard]] std::filesystem::path trusted_above(const std::filesystem::path& directory);

/// @param directory as in `check_unmounted`, which is called first.
/// @errors `ec::refused` if something is mounted, a link is on the way, or it is not a directory;
///   `ec::unreadable`, also if it does not exist; `ec::shortage`.
[[nodiscard]] expected<held_checkpoint> hold_checkpoint(const std::filesystem::path& directory);

/// The path of an open directory as known to the kernel; accesses no file system.
[[nodiscard]] std::filesystem::path name_of_open(int directory);

} // namespace tune
