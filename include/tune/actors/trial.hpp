/// The TRIAL: the head's end of the conversation with one trial's trainables.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/actors/actors.hpp"
#include "tune/core/ids.hpp"

namespace tune {

/// Where an attempt was launched: what is said of it comes from there.
struct attempt_place {
  attempt_key attempt;
  node_actor node;
};

/// The TRIAL as its own process sees it.
using trial_desk_actor = extend<trial_actor,
                                // From the cluster, of a node on another machine; after the launch
                                // order, and before the node hears of it.
                                caf::result<void>(attempt_place)>;

/// Spawned by the runner, which tells it to go. Turns what trainables say into news, drops what an
/// old attempt says, and notices when a trainable is gone without a word.
[[nodiscard]] trial_actor spawn_trial(caf::actor_system& system, trial_id id, runner_actor runner);

} // namespace tune

TUNE_BEGIN_LOCAL_TYPES(tune_trial)
TUNE_LOCAL_TYPE(tune_trial, tune::attempt_place)
TUNE_END_LOCAL_TYPES(tune_trial)
