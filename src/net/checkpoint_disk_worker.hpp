/// The DISK WORKER: does the blocking disk work of a CHECKPOINT SERVER, for one job at a time.
/// Private to the checkpoint server.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/net/checkpoint_server.hpp"

#include <functional>
#include <variant>

namespace tune {

/// A worker's message, passed on.
struct worker_message {
  std::variant<storage_question, checkpoint_offer, checkpoint_wanted, checkpoint_dropped,
               piece_wanted, checkpoint_piece>
      what;
};

/// A message that the checkpoint server sends to a worker on behalf of the disk worker.
struct checkpoint_server_words {
  std::variant<storage_answer, checkpoint_settled, checkpoint_found, piece_wanted, checkpoint_piece>
      what;
};

/// The head no longer counts on this attempt.
struct attempt_given_up {
  attempt_claim who;
  std::function<void()> then;
};

using checkpoint_server_impl
    = extend<checkpoint_server_local_actor,
             caf::result<void>(checkpoint_server_words, checkpoint_peer_actor),
             caf::result<void>(attempt_given_up)>;

} // namespace tune

TUNE_BEGIN_LOCAL_TYPES(tune_checkpoint_server)
TUNE_LOCAL_TYPE(tune_checkpoint_server, tune::worker_message)
TUNE_LOCAL_TYPE(tune_checkpoint_server, tune::checkpoint_server_words)
TUNE_LOCAL_TYPE(tune_checkpoint_server, tune::attempt_given_up)
TUNE_LOCAL_HANDLE(tune_checkpoint_server, tune::checkpoint_server_impl)
TUNE_END_LOCAL_TYPES(tune_checkpoint_server)

namespace tune {

/// Talks to its checkpoint server only: see docs/decisions/0005. There is one for each job that its
/// head currently serves and whose workers have a storage of their own.
using disk_worker_actor = typed_actor<
    // The job to serve.
    caf::result<void>(job_place), caf::result<void>(worker_message, checkpoint_peer_actor),
    caf::result<void>(attempt_given_up),
    // Answers once no work of the job is left: it may then serve another.
    caf::result<void>(job_withdrawn)>;

/// Spawns a disk worker of `speaker`, which serves no job yet.
[[nodiscard]] disk_worker_actor
spawn_checkpoint_disk_worker(caf::actor_system& system, const checkpoint_server_settings& settings,
                             const checkpoint_server_impl& speaker);

} // namespace tune
