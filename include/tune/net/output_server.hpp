/// The OUTPUT SERVER: writes what remote trials print into their directories on the head.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/ids.hpp"
#include "tune/net/actors.hpp"

#include <string>

namespace tune {

/// Spawns an output server, which knows no jobs yet. It ends when it is told to go.
///
/// Output is appended to `trials/<trial>/stdout` and `stderr` of the job's directory; a piece that
/// comes twice is written once. Where an attempt ends or the next one begins, the file is cut to
/// the job's cap, as `output_file` does it where there is no worker in between. An attempt that was
/// given up, and one after which a later attempt of the trial has printed as the same rank, is
/// refused: its worker was lost and came back.
/// @param own_thread Writes on a thread of its own, since it blocks on the disk; false is for
///   schedulers that must see every message.
/// @param takes_over Output may go on that began under the head before this one.
[[nodiscard]] output_server_local_actor
spawn_output_server(caf::actor_system& system, bool own_thread = true, bool takes_over = false);

/// Has an output server that was spawned here refuse what still comes of this attempt.
void give_up(const output_server_local_actor& whom, const std::string& job, trial_id trial,
             attempt_id attempt);

} // namespace tune
