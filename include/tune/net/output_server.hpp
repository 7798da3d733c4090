/// The OUTPUT SERVER: writes what remote trials print into their directories on the head.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/net/actors.hpp"

namespace tune {

/// Spawns an output server, which knows no jobs yet. It ends when it is told to go.
///
/// Output is appended to `trials/<trial>/stdout` and `stderr` of the job's directory; a piece that
/// comes twice is written once.
/// @param own_thread Writes on a thread of its own, since it blocks on the disk; false is for
///   schedulers that must see every message.
/// @param takes_over Output may go on that began under the head before this one.
[[nodiscard]] output_server_local_actor
spawn_output_server(caf::actor_system& system, bool own_thread = true, bool takes_over = false);

} // namespace tune
