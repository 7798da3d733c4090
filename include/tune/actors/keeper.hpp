/// A KEEPER of a node whose experiments' directories are its own.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/actors/actors.hpp"

namespace tune {

/// Checks what an attempt is to be restored from, in the experiment's directory or in memory.
/// Blocks on the disk.
[[nodiscard]] attempt_prepared prepare_here(const prepare_attempt& what);
/// `copy_checkpoint` and `commit_checkpoint` as answers, the latter after `keep_in_memory` where
/// that may do.
[[nodiscard]] draft_copied copy_here(const copy_draft& what);
[[nodiscard]] draft_kept keep_here(keep_draft what);
/// Removes it.
void forget_here(const forget_paused& what);

/// Spawns a keeper on a thread of its own; so only its own process may know it: see
/// docs/decisions/0005. It works off one order after the other, and ends when it is told to go.
[[nodiscard]] keeper_actor spawn_keeper(caf::actor_system& system);

} // namespace tune
