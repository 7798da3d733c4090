/// Writes a result into a file that a user named.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/error.hpp"

#include <filesystem>
#include <string_view>

namespace tune::cli {

/// Writes the whole file, or leaves what was there as it is: under another name beside it first,
/// then in its place. A name that is no regular file (`/dev/stdout`, a FIFO) is written into.
///
/// @param path "-": stdout.
/// @errors `ec::storage`, naming the file and what the system says.
[[nodiscard]] expected<void> write_file(const std::filesystem::path& path, std::string_view text);

} // namespace tune::cli
