/// The OUTPUT COURIER: carries what programs print on a worker to their head.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/actors/lease_gate.hpp"
#include "tune/net/actors.hpp"

#include <chrono>
#include <cstddef>
#include <memory>

namespace tune {

/// Bytes of one piece.
inline constexpr std::size_t output_piece_bytes = 256 * 1024;

/// Spawns the courier of one connection. It ends when it is told to go.
///
/// Of each stream one piece is on its way at a time: a slow head costs patience, never memory.
/// Files are removed from the worker when all of them is at the head. While the inbox is out of
/// reach, or the gate shut, all waits for another one; a node that gives up what runs says so, and
/// what was not yet taken is lost with the attempts. Who closed an attempt always has an answer:
/// one of which the head takes nothing for `patience` is given up.
/// @param own_thread Reads on a thread of its own, since it blocks on the disk; false is for
///   schedulers that must see every message.
[[nodiscard]] output_desk_actor
spawn_output_courier(caf::actor_system& system, inbox_actor inbox, bool own_thread = true,
                     std::chrono::milliseconds patience = std::chrono::minutes{5},
                     std::shared_ptr<const lease_gate> gate = {});

/// Has a courier that was spawned so bring all to this inbox from now on.
void reconnect(const output_desk_actor& whom, const inbox_actor& to);

} // namespace tune
