/// The CHECKPOINT SERVER: stores checkpoints of remote trials at their head.
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
  /// Only attempts whose launch was sealed with this secret are served; see `launch_token_of`.
  std::string secret;
  /// Bytes of one piece. [1 .. max_chunk_bytes]
  std::uint32_t piece_bytes = 256 * 1024;
  /// Pieces that were asked for and have not arrived yet, per worker and job. [>= 1]
  std::size_t credit = 4;
  /// Silence after which an incoming checkpoint is given up. [> 0]
  std::chrono::milliseconds patience = std::chrono::minutes{2};
  /// Reads and writes on threads of its own, since it blocks on the disk; false is for schedulers
  /// that must see every message.
  bool own_thread = true;
};

/// Spawns a checkpoint server, which knows no jobs yet. It ends when it is told to go.
///
/// Incoming data is written beside its place, compared with its manifest, synced and renamed before
/// it is reported as safe; an attempt writes below its own directory and nowhere else. Each job has
/// a thread of its own from the first message of one of its workers on, so that a disk that stands
/// still holds up no other job. Unfinished checkpoints of a lost worker are removed. Memory use is
/// `credit` pieces per worker and job and the lists of files, never a file.
[[nodiscard]] checkpoint_server_local_actor
spawn_checkpoint_server(caf::actor_system& system, checkpoint_server_settings settings);

/// Stops transfers of an attempt that its head has given up, since its worker may still live and go
/// on with a checkpoint. Whatever came of it and is not yet in its place is removed.
/// @param then Called on a thread of the checkpoint server when that is done; never if the
/// checkpoint server is gone.
void give_up(const checkpoint_server_local_actor& whom, const std::string& job, trial_id trial,
             attempt_id attempt, std::function<void()> then);

} // namespace tune
