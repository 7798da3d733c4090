/// Scans an open checkpoint. Private to checkpoints.
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

/// `scanning_checkpoint` for an open checkpoint, which must outlive the work.
/// @errors also `ec::refused` if something is mounted in it.
sliced<expected<checkpoint_manifest>>
scanning_held(const guarded_directory& held, std::uint64_t iteration, checkpoint_limits limits);

/// Reads the manifest; empty if there is none.
/// @param text Receives the manifest's text; may be null.
[[nodiscard]] expected<std::optional<checkpoint_manifest>>
listed_content(const guarded_directory& held, std::string* text);

} // namespace tune
