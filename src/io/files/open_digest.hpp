/// Hashes open files. Private to io.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/error.hpp"
#include "tune/io/files/descriptor.hpp"
#include "tune/io/files/sha256.hpp"
#include "tune/io/files/sliced.hpp"

#include <cstdint>
#include <filesystem>

namespace tune {

/// `digesting` for a file open for reading, from its current position.
/// @param name Path in error texts.
sliced<expected<file_digest>> digesting_open(store::descriptor opened, std::filesystem::path name,
                                             std::uint64_t most, std::uint64_t* so_far = nullptr);

} // namespace tune
