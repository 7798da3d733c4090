/// Scans checkpoints in slices.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/io/checkpoint/checkpoint_limits.hpp"
#include "tune/io/checkpoint/checkpoint_manifest.hpp"
#include "tune/io/files/sliced.hpp"

#include <cstdint>
#include <filesystem>
#include <optional>

namespace tune {

/// `scan_checkpoint` in slices. Lists everything before it hashes anything.
/// @errors also `ec::refused` if `limits` are exceeded.
sliced<expected<checkpoint_manifest>> scanning_checkpoint(std::filesystem::path directory,
                                                          std::uint64_t iteration,
                                                          checkpoint_limits limits);

/// `verify_checkpoint` in slices.
sliced<expected<std::optional<checkpoint_manifest>>>
verifying_checkpoint(std::filesystem::path directory);

} // namespace tune
