/// Compares the checkpoints in an experiment's directory with its record. Private to the tuner.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/error.hpp"
#include "tune/core/experiment/event.hpp"

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace tune {

/// Whether doomed checkpoints are removed as well. Where a runner goes on, it has them removed and
/// records that.
enum class sweeping : std::uint8_t { unregistered, unregistered_of_ended, doomed_too };

/// Removes what attempts of earlier heads, which are over, wrote and nobody registered.
/// @returns what could not be removed, and why; empty: everything was.
[[nodiscard]] expected<std::string> sweep_record(const std::filesystem::path& directory,
                                                 sweeping what);

/// Checkpoints that trials could go on from according to the record, but that are missing.
[[nodiscard]] expected<std::vector<on::checkpoint_bad>>
missing_checkpoints(const std::filesystem::path& directory);

} // namespace tune
