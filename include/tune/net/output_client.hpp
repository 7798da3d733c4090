/// The OUTPUT CLIENT: carries what programs print on a worker to their head.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/actors/session_fence.hpp"
#include "tune/net/actors.hpp"

#include <chrono>
#include <memory>

namespace tune {

/// Spawns the output client of one connection. It ends when it is told to go.
///
/// One piece of each stream is on its way at a time: a slow head costs time, never memory. A file
/// is removed from the worker when all of it is at the head. While the output server is out of
/// reach, or the gate shut, everything waits for another one; a node that gives up its attempts
/// says so, and output that was not yet taken is lost with them. Closing an attempt always gets an
/// answer: an attempt of which the head takes nothing for `patience` is given up.
/// @param own_thread Reads on a thread of its own, since it blocks on the disk; false is for
///   schedulers that must see every message.
[[nodiscard]] output_client_actor
spawn_output_client(caf::actor_system& system, output_server_actor output_server,
                    bool own_thread = true,
                    std::chrono::milliseconds patience = std::chrono::minutes{5},
                    std::shared_ptr<const session_fence> gate = {});

/// Makes an output client that was spawned here send to this output server from now on.
void reconnect(const output_client_actor& whom, const output_server_actor& to);

} // namespace tune
