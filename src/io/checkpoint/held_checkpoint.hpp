/// A checkpoint's directory, or a draft's, that is held open. Private to checkpoints.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/io/files/guarded_directory.hpp"

#include <filesystem>
#include <string>

namespace tune {

/// What somebody mounts later on the way to it, upon it, or in it is neither entered nor asked:
/// whatever is done with the checkpoint goes by way of these two.
struct held_checkpoint {
  /// The folder that it lies in.
  guarded_directory folder;
  guarded_directory self;

  [[nodiscard]] const std::filesystem::path& path() const { return self.path(); }
  [[nodiscard]] std::string name() const { return path().filename().string(); }
};

/// From where on programs change what lies on the way to a checkpoint: its "trials", which may be a
/// link or a mount of the user's own.
/// @param directory ".../trials/<trial>/<attempt>/<name>"; its parent, where it lies elsewhere.
[[nodiscard]] std::filesystem::path trusted_above(const std::filesystem::path& directory);

/// @param directory as in `check_unmounted`, by which it is looked at first.
/// @errors `ec::refused` where something is mounted, a link is on the way, or it is no directory;
///   `ec::unreadable`, also where it is not there; `ec::shortage`.
[[nodiscard]] expected<held_checkpoint> hold_checkpoint(const std::filesystem::path& directory);

/// The name of a directory that is held open, as the kernel has it: no file system is asked.
[[nodiscard]] std::filesystem::path name_of_open(int directory);

} // namespace tune
