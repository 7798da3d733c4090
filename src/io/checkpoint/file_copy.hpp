/// Copies files with their holes. Private to checkpoints.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/error.hpp"
#include "tune/io/files/descriptor.hpp"
#include "tune/io/files/guarded_directory.hpp"
#include "tune/io/files/sliced.hpp"

#include <cstdint>
#include <filesystem>
#include <string>

namespace tune {

/// A file to be copied and its destination. Both are held open, so that nothing mounted meanwhile
/// is accessed.
struct copied_file {
  /// Open for reading.
  store::descriptor from;
  std::filesystem::path from_path;
  /// The destination directory; must outlive the work.
  const guarded_directory* to = nullptr;
  std::string name;
};

/// Copies one regular file with its permissions. Holes stay holes if the file system supports them.
/// Data written past its end meanwhile is not copied.
///
/// Stops before less than `room_kept_free` would be left on the disk.
/// @errors `ec::storage`; the destination may then have a part of the file.
sliced<expected<void>> copying_file(copied_file what);

/// Makes the content of an open file or directory durable.
/// @param shown Path in error texts. @errors `ec::storage`.
sliced<expected<void>> syncing(store::descriptor opened, std::filesystem::path shown);
/// Like `syncing`, for something below an open directory. @param way empty for the directory
/// itself.
/// @errors also `ec::refused` if something is mounted there.
sliced<expected<void>> syncing_beneath(const guarded_directory& held, std::filesystem::path way);

/// Checks that the disk of a directory has room for `bytes` plus `room_kept_free`.
/// @errors `ec::storage` with the available space.
[[nodiscard]] expected<void> check_room(const guarded_directory& where, std::uint64_t bytes);

} // namespace tune
