/// The RECORDER: the experiment's database behind a mailbox.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/actors/actors.hpp"
#include "tune/core/error.hpp"

#include <functional>
#include <span>

namespace tune {

/// Writes items in one transaction; returns when they are on disk.
using commit_function = std::function<expected<void>(std::span<const store_item>)>;

/// Spawns the recorder on a thread of its own: it blocks on the disk.
///
/// All turns waiting in its mailbox when it begins to write go into one transaction. The first
/// failure is final: it is told to the runner, and nothing is acknowledged any more.
/// @param commit called from the recorder's thread only, and destroyed there.
[[nodiscard]] recorder_actor spawn_recorder(caf::actor_system& system, commit_function commit);

} // namespace tune
