/// A CHECKPOINT SERVICE of a node whose experiments' directories are its own.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/actors/actors.hpp"
#include "tune/io/files/sliced.hpp"

namespace tune {

/// Checks the checkpoint that an attempt is to be restored from, in the experiment's directory or
/// in memory.
sliced<attempt_prepared> preparing_here(prepare_attempt what);
/// `copying_checkpoint` and `committing_checkpoint` as answers; the latter uses `keeping_in_memory`
/// where the checkpoint may stay in memory.
sliced<draft_copied> copying_here(copy_draft what);
sliced<draft_kept> keeping_here(keep_draft what);
/// The same in one go, without slices.
[[nodiscard]] attempt_prepared prepare_here(const prepare_attempt& what);
[[nodiscard]] draft_copied copy_here(const copy_draft& what);
[[nodiscard]] draft_kept keep_here(keep_draft what);
/// `gather_exports` as an answer.
[[nodiscard]] exports_gathered gather_here(const gather_exported& what);
/// Removes a paused trial's checkpoint from memory.
void forget_here(const forget_paused& what);

/// Spawns a checkpoint service on a thread of its own; so only its own process may know it: see
/// docs/decisions/0005. Attempts take turns: the orders of each are done one after the other, a
/// slice at a time. Work under way is given up when the node goes, or the attempt is no longer
/// wanted.
[[nodiscard]] checkpoint_service_actor spawn_checkpoint_service(caf::actor_system& system);

} // namespace tune
