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

/// Spawns a janitor on a thread of its own.
/// @param remove called from that thread only. Where it fails the checkpoint stays, the runner is
///   told once, and the next head tries again.
[[nodiscard]] janitor_actor spawn_janitor(caf::actor_system& system, remove_function remove);

} // namespace tune
