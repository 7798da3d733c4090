/// Copies of files that keep their holes. Private to checkpoints.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/error.hpp"
#include "tune/io/files/sliced.hpp"

#include <cstdint>
#include <filesystem>

namespace tune {

/// Copies one regular file with its permissions. Holes stay holes where the file system knows them.
/// What is written behind its end meanwhile is no part of the copy.
///
/// What would leave less than `room_kept_free` on the disk is not copied.
/// @errors `ec::storage`; `to` may hold a part then.
sliced<expected<void>> copying_file(std::filesystem::path from, std::filesystem::path to);

/// Makes the content of a file or directory durable.
/// @errors `ec::storage`.
sliced<expected<void>> syncing(std::filesystem::path what);

/// Whether there is room for so many bytes on the disk of a directory, and some more.
/// @errors `ec::storage`, which tells how much there is.
[[nodiscard]] expected<void> check_room(const std::filesystem::path& directory,
                                        std::uint64_t bytes);

} // namespace tune
