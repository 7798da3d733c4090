/// Copies of files that keep their holes. Private to checkpoints.
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

/// A file that is to be copied, and where to. Both are held open: what somebody mounts meanwhile is
/// not asked.
struct copied_file {
  /// To be read.
  store::descriptor from;
  std::filesystem::path from_path;
  /// The directory that it goes to; it outlives the work.
  const guarded_directory* to = nullptr;
  std::string name;
};

/// Copies one regular file with its permissions. Holes stay holes where the file system knows them.
/// What is written behind its end meanwhile is no part of the copy.
///
/// What would leave less than `room_kept_free` on the disk is not copied.
/// @errors `ec::storage`; `to` may hold a part then.
sliced<expected<void>> copying_file(copied_file what);

/// Makes the content of an open file or directory durable.
/// @param shown For the error. @errors `ec::storage`.
sliced<expected<void>> syncing(store::descriptor opened, std::filesystem::path shown);
/// The same of something below a directory that is held. @param way empty: itself.
/// @errors also `ec::refused` where something is mounted there.
sliced<expected<void>> syncing_beneath(const guarded_directory& held, std::filesystem::path way);

/// Whether there is room for so many bytes on the disk of a directory, and some more.
/// @errors `ec::storage`, which tells how much there is.
[[nodiscard]] expected<void> check_room(const guarded_directory& where, std::uint64_t bytes);

} // namespace tune
