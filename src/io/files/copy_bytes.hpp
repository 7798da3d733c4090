/// From one open file to another.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "../store/posix.hpp"

#include <cstdint>
#include <filesystem>

namespace tune::files {

/// Copies from where both files stand to the end of `from`; the kernel does it by reference where
/// the file system can. @param path for errors. @returns how many bytes.
[[nodiscard]] expected<std::uint64_t> copy_bytes(const store::descriptor& from,
                                                 const store::descriptor& to,
                                                 const std::filesystem::path& path);

} // namespace tune::files
