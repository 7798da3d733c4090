/// The CHECKPOINT COURIER: the keeper of a worker's node, which brings its checkpoints to the head.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/actors/lease_gate.hpp"
#include "tune/net/actors.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>

namespace tune {

struct checkpoint_courier_settings {
  /// Writes into the head's directory where that is found at the same path here.
  bool share = true;
  /// Bytes of one piece. [1 .. max_chunk_bytes]
  std::uint32_t piece_bytes = 256 * 1024;
  /// Pieces that are asked for and not there yet. [>= 1]
  std::size_t credit = 4;
  /// The head is given up for what is on its way where it says nothing for so long. [> 0]
  std::chrono::milliseconds patience = std::chrono::minutes{5};
  /// For copies of checkpoints that nobody uses. [bytes]
  std::uint64_t copy_bytes = std::uint64_t{4} << 30;
  /// Reads and writes on a thread of its own, since it blocks on the disk; false is for schedulers
  /// that must see every message.
  bool own_thread = true;
  /// Nothing is said to the head while it is shut; null: it never is.
  std::shared_ptr<const lease_gate> gate = {};
};

/// Spawns the courier of one connection. It ends when it is told to go.
///
/// A checkpoint is listed and hashed here, and safe once its head says so. Of each trial the newest
/// one stays here, too, in case that the trial goes on here, as long as they fit into `copy_bytes`.
/// What is on its way when the vault falls out of reach begins anew with the next one; without a
/// gate it fails at once. It holds some pieces in memory, never a file.
[[nodiscard]] keeper_actor spawn_checkpoint_courier(caf::actor_system& system, vault_actor vault,
                                                    checkpoint_courier_settings settings = {});

/// Has a courier that was spawned so speak with this vault from now on.
void reconnect(const keeper_actor& whom, const vault_actor& to);

} // namespace tune
