/// Unpacks a tar archive that comes from elsewhere.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/error.hpp"
#include "tune/io/files/descriptor.hpp"

#include <filesystem>
#include <mutex>

namespace tune::cli {

/// Unpacks the archive that is read from a descriptor, without trusting it: nothing is written
/// outside the directory or through a link, nothing there is replaced, and only files, directories
/// and symbolic links are made. They belong to this user, who may read and write them; the umask
/// holds, and special bits (set-user-ID and the like) are dropped. Holes stay holes.
///
/// Reads until the archive ends, or up to the first failure.
/// @param from  For example the reading end of a pipe.
/// @param into  An open directory. @param shown its path in error texts.
/// @param steps Locked for each change of the disk, so that others can keep it from changing.
/// @errors `ec::protocol` if it is no such archive; `ec::storage`.
[[nodiscard]] expected<void> unpack(const store::descriptor& from, const store::descriptor& into,
                                    const std::filesystem::path& shown, std::mutex& steps);

} // namespace tune::cli
