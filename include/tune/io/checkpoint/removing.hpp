/// Removes checkpoints and drafts in slices, since a program may leave any number of files in them.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/ids.hpp"
#include "tune/io/checkpoint/attempt_directory.hpp"
#include "tune/io/files/sliced.hpp"

#include <filesystem>

namespace tune {

/// Result type; anything that stays is swept at the next start.
struct removed {};

/// `remove_from_attempt` in slices, without a time limit.
sliced<removed> removing_from_attempt(std::filesystem::path what);
/// `remove_directory` in slices, without a time limit.
sliced<removed> removing_directory(attempt_directory where);
/// `remove_drafts` in slices, without a time limit. Lists the drafts immediately; later ones stay.
sliced<removed> removing_drafts(const std::filesystem::path& experiment, trial_id trial,
                                attempt_id attempt);

} // namespace tune
