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
  /// Write directly into the head's directory if it is found at the same path here.
  bool share = true;
  /// Bytes of one piece. [1 .. max_chunk_bytes]
  std::uint32_t piece_bytes = 256 * 1024;
  /// Pieces that were asked for and have not arrived yet. [>= 1]
  std::size_t credit = 4;
  /// Silence of the head after which transfers under way are given up. [> 0]
  std::chrono::milliseconds patience = std::chrono::minutes{5};
  /// Limit of all copies of checkpoints that are not in use. [bytes]
  std::uint64_t copy_bytes = std::uint64_t{4} << 30;
  /// Reads and writes on a thread of its own, since it blocks on the disk; false is for schedulers
  /// that must see every message.
  bool own_thread = true;
  /// Nothing is sent to the head while the gate is shut; null: it is always open.
  std::shared_ptr<const session_fence> gate = {};
};

/// Spawns the checkpoint client of one connection. It ends when it is told to go.
///
/// A checkpoint is listed and hashed here, and counts as safe once the head says so. The newest
/// checkpoint of each trial stays here as well, in case that the trial goes on here, as long as all
/// fit into `copy_bytes`. Transfers under way when the checkpoint server falls out of reach begin
/// anew with the next one; without a gate they fail at once. Memory use is a few pieces, never a
/// file.
[[nodiscard]] checkpoint_service_actor
spawn_checkpoint_client(caf::actor_system& system, checkpoint_server_actor checkpoint_server,
                        checkpoint_client_settings settings = {});

/// Makes a checkpoint client that was spawned here use this checkpoint server from now on.
void reconnect(const checkpoint_service_actor& whom, const checkpoint_server_actor& to);

} // namespace tune
