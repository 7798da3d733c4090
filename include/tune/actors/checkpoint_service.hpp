/// A CHECKPOINT SERVICE of a node whose experiments' directories are its own.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/actors/actors.hpp"
#include "tune/io/files/sliced.hpp"

namespace tune {

/// Checks what an attempt is to be restored from, in the experiment's directory or in memory.
sliced<attempt_prepared> preparing_here(prepare_attempt what);
/// `copying_checkpoint` and `committing_checkpoint` as answers, the latter by `keeping_in_memory`
/// where that may do.
sliced<draft_copied> copying_here(copy_draft what);
sliced<draft_kept> keeping_here(keep_draft what);
/// All of it at once.
[[nodiscard]] attempt_prepared prepare_here(const prepare_attempt& what);
[[nodiscard]] draft_copied copy_here(const copy_draft& what);
[[nodiscard]] draft_kept keep_here(keep_draft what);
/// `gather_exports` as an answer.
[[nodiscard]] exports_gathered gather_here(const gather_exported& what);
/// Removes it.
void forget_here(const forget_paused& what);

/// Spawns a checkpoint service on a thread of its own; so only its own process may know it: see
/// docs/decisions/0005. Attempts take turns: each has its orders done one after the other, a slice
/// at a time. What is on its way is given up when the node goes, or the attempt is no more wanted.
[[nodiscard]] checkpoint_service_actor spawn_checkpoint_service(caf::actor_system& system);

} // namespace tune
