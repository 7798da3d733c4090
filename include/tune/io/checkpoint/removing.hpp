/// Removal of checkpoints and drafts in slices: a program may leave any number of files in them.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/ids.hpp"
#include "tune/io/checkpoint/attempt_directory.hpp"
#include "tune/io/files/sliced.hpp"

#include <filesystem>

namespace tune {

/// What stays is swept by the next start.
struct removed {};

/// `remove_from_attempt` in slices, until all is gone that can go.
sliced<removed> removing_from_attempt(std::filesystem::path what);
/// `remove_directory` likewise.
sliced<removed> removing_directory(attempt_directory where);
/// `remove_drafts` likewise. Those of a later moment stay: what is there is listed at once.
sliced<removed> removing_drafts(const std::filesystem::path& experiment, trial_id trial,
                                attempt_id attempt);

} // namespace tune
