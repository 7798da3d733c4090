/// The TRIAL: the head's end of the conversation with one trial's trainables.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/actors/actors.hpp"
#include "tune/core/ids.hpp"

namespace tune {

/// The node where an attempt was launched: messages about the attempt come from there.
struct attempt_place {
  attempt_key attempt;
  node_actor node;
};

/// A further rank of an attempt is over, and none of its processes run.
struct rank_ended {
  std::uint32_t rank = 0;
  attempt_ended how;
};

/// The TRIAL as its own process sees it.
using trial_local_actor = extend<trial_actor,
                                 // From the cluster, for a node on another machine; after the
                                 // launch order, and before the node hears of it.
                                 caf::result<void>(attempt_place),
                                 // From the trial actor of a further rank.
                                 caf::result<void>(rank_ended)>;

/// Spawned by the runner, which tells it to go. Turns what trainables say into news, drops messages
/// of old attempts, and notices when a trainable is gone without a word. For an attempt of several
/// ranks it launches the others once rank 0 runs, ends all when one fails, and tells the end when
/// all are gone: see `rank_group`.
/// @param cluster Launches further ranks; may be null where there are none.
/// @param waits_for_disk An attempt proxy hears that a message was heard once the runner has it on
///                       disk; otherwise, once the runner has it.
[[nodiscard]] trial_actor spawn_trial(caf::actor_system& system, trial_id id, runner_actor runner,
                                      cluster_actor cluster = {}, bool waits_for_disk = false);

} // namespace tune

TUNE_BEGIN_LOCAL_TYPES(tune_trial)
TUNE_LOCAL_TYPE(tune_trial, tune::attempt_place)
TUNE_LOCAL_TYPE(tune_trial, tune::rank_ended)
TUNE_END_LOCAL_TYPES(tune_trial)
