/// The CLERK: does for a VAULT what blocks on the disk of one job at a time. Private to the vault.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/net/vault.hpp"

#include <functional>
#include <variant>

namespace tune {

/// What a worker says.
struct peer_words {
  std::variant<storage_question, checkpoint_offer, checkpoint_wanted, checkpoint_dropped,
               piece_wanted, checkpoint_piece>
      what;
};

/// What the clerk has the vault say to a worker.
struct vault_words {
  std::variant<storage_answer, checkpoint_settled, checkpoint_found, piece_wanted, checkpoint_piece>
      what;
};

/// Its head counts on it no more.
struct attempt_given_up {
  attempt_claim who;
  std::function<void()> then;
};

using vault_impl = extend<vault_desk_actor, caf::result<void>(vault_words, checkpoint_peer_actor),
                          caf::result<void>(attempt_given_up)>;

} // namespace tune

TUNE_BEGIN_LOCAL_TYPES(tune_vault)
TUNE_LOCAL_TYPE(tune_vault, tune::peer_words)
TUNE_LOCAL_TYPE(tune_vault, tune::vault_words)
TUNE_LOCAL_TYPE(tune_vault, tune::attempt_given_up)
TUNE_LOCAL_HANDLE(tune_vault, tune::vault_impl)
TUNE_END_LOCAL_TYPES(tune_vault)

namespace tune {

/// Speaks to its vault only: see docs/decisions/0005. One for each job whose workers have a storage
/// of their own and that its head works for at the same time.
using clerk_actor = typed_actor<
    // The job that it serves.
    caf::result<void>(job_place), caf::result<void>(peer_words, checkpoint_peer_actor),
    caf::result<void>(attempt_given_up),
    // Answers once nothing of the job keeps it: it may serve another.
    caf::result<void>(job_withdrawn)>;

/// Spawns a clerk of `speaker`, which serves no job yet.
[[nodiscard]] clerk_actor spawn_vault_clerk(caf::actor_system& system,
                                            const vault_settings& settings,
                                            const vault_impl& speaker);

} // namespace tune
