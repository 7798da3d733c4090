/// A JANITOR: removes checkpoints that nobody needs any more.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/actors/actors.hpp"
#include "tune/core/error.hpp"

#include <functional>
#include <string>

namespace tune {

/// Removes the directory of a checkpoint, given its location in the experiment's directory.
using remove_function = std::function<expected<void>(const std::string& location)>;

/// Removes checkpoints of an attempt that nobody registered.
using tidy_function = std::function<expected<void>(trial_id trial, attempt_id attempt)>;

/// Spawns a janitor on a thread of its own.
/// @param remove called from that thread only. If it fails, the checkpoint stays, the runner is
///   told once, and the next head tries again.
/// @param tidy the same; if it fails, the files stay for the next head.
[[nodiscard]] janitor_actor spawn_janitor(caf::actor_system& system, remove_function remove,
                                          tidy_function tidy);

/// Has a janitor tidy up after an attempt that is over and whose registered checkpoints are all on
/// disk. From any thread.
void tidy_up(const janitor_actor& whom, trial_id trial, attempt_id attempt);

} // namespace tune
