/// The TRIAL: the head's end of the conversation with one trial's trainables.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/actors/actors.hpp"
#include "tune/core/ids.hpp"

namespace tune {

/// Spawned by the runner, which tells it to go. Turns what trainables say into news, drops what an
/// old attempt says, and notices when a trainable is gone without a word.
[[nodiscard]] trial_actor spawn_trial(caf::actor_system& system, trial_id id, runner_actor runner);

} // namespace tune
