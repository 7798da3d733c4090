/// The CHECKPOINT SERVER: checkpoints of remote trials, at their head.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/net/actors.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

namespace tune {

struct checkpoint_server_settings {
  /// Attempts whose launch was sealed with it may speak, and no others; see `launch_token_of`.
  std::string secret;
  /// Bytes of one piece. [1 .. max_chunk_bytes]
  std::uint32_t piece_bytes = 256 * 1024;
  /// Pieces that are asked for and not there yet, per worker and job. [>= 1]
  std::size_t credit = 4;
  /// A checkpoint of which nothing comes for so long is given up. [> 0]
  std::chrono::milliseconds patience = std::chrono::minutes{2};
  /// Reads and writes on threads of its own, since it blocks on the disk; false is for schedulers
  /// that must see every message.
  bool own_thread = true;
};

/// Spawns a checkpoint server, which knows no jobs yet. It ends when it is told to go.
///
/// What comes is written beside its place, compared with its manifest, synced and renamed before
/// it is said to be safe; an attempt writes below its own directory and nowhere else. Each job has
/// a thread of its own, from the first word of one of its workers on: a disk that stands still
/// holds up no other. What a lost worker had begun is removed. It holds `credit` pieces per worker
/// and job in memory and the lists of files, never a file.
[[nodiscard]] checkpoint_server_local_actor
spawn_checkpoint_server(caf::actor_system& system, checkpoint_server_settings settings);

/// Has a checkpoint server take and give nothing more of an attempt that its head has given up: its
/// worker may still live, and go on with a checkpoint. What came of it and is not in its place
/// goes.
/// @param then Called on a thread of the checkpoint server when that is done; never where the
/// checkpoint server is gone.
void give_up(const checkpoint_server_local_actor& whom, const std::string& job, trial_id trial,
             attempt_id attempt, std::function<void()> then);

} // namespace tune
