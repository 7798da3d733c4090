/// Looks through a checkpoint that is held open. Private to checkpoints.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/io/checkpoint/checkpoint_limits.hpp"
#include "tune/io/checkpoint/checkpoint_manifest.hpp"
#include "tune/io/files/guarded_directory.hpp"
#include "tune/io/files/sliced.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace tune {

/// `scanning_checkpoint` of one that is held, and outlives the work.
/// @errors also `ec::refused` where something is mounted in it.
sliced<expected<checkpoint_manifest>>
scanning_held(const guarded_directory& held, std::uint64_t iteration, checkpoint_limits limits);

/// What its manifest says; nothing where it has none.
/// @param text Its text; null: nobody wants it.
[[nodiscard]] expected<std::optional<checkpoint_manifest>>
listed_content(const guarded_directory& held, std::string* text);

} // namespace tune
