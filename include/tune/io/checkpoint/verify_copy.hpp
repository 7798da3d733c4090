/// Checks the copy of a checkpoint.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/io/checkpoint/checkpoint_manifest.hpp"

#include <filesystem>
#include <optional>

namespace tune {

/// `verify_checkpoint` for a copy of a checkpoint, which may lie anywhere.
[[nodiscard]] expected<std::optional<checkpoint_manifest>>
verify_checkpoint_copy(const std::filesystem::path& directory);

} // namespace tune
