/// Copies from one open file to another.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "posix/posix.hpp"

#include <cstdint>
#include <filesystem>

namespace tune::files {

/// Copies from the current positions to the end of `from`, by reflink if the kernel and the file
/// system can. @param path for error texts. @returns the number of bytes copied.
[[nodiscard]] expected<std::uint64_t> copy_bytes(const store::descriptor& from,
                                                 const store::descriptor& to,
                                                 const std::filesystem::path& path);

} // namespace tune::files
