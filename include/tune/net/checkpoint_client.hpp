/// The CHECKPOINT CLIENT: the checkpoint service of a worker's node, which brings its checkpoints
/// to the head.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/actors/session_fence.hpp"
#include "tune/net/actors.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>

namespace tune {

struct checkpoint_client_settings {
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
  std::shared_ptr<const session_fence> gate = {};
};

/// Spawns the checkpoint client of one connection. It ends when it is told to go.
///
/// A checkpoint is listed and hashed here, and safe once its head says so. Of each trial the newest
/// one stays here, too, in case that the trial goes on here, as long as they fit into `copy_bytes`.
/// What is on its way when the checkpoint server falls out of reach begins anew with the next one;
/// without a gate it fails at once. It holds some pieces in memory, never a file.
[[nodiscard]] checkpoint_service_actor
spawn_checkpoint_client(caf::actor_system& system, checkpoint_server_actor checkpoint_server,
                        checkpoint_client_settings settings = {});

/// Has a checkpoint client that was spawned so speak with this checkpoint server from now on.
void reconnect(const checkpoint_service_actor& whom, const checkpoint_server_actor& to);

} // namespace tune
