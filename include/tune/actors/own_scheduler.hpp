/// Keeps a scheduler that is a program's own actor from holding up or breaking its experiment.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/actors/actors.hpp"

#include <chrono>

namespace tune {

/// Spawns an actor between a runner and `who`: it passes on the runner's facts and questions with
/// itself as the runner, and the answers.
///
/// It interrupts the run, which can go on once the cause is fixed, if `who` ends, throws, answers a
/// turn with an error, answers about an event that it was not asked about (`answer_about`), or
/// gives no answer for `patience`; after a tenth of `patience` it tells the runner's observers what
/// the run is waiting for. A second answer to a question, and anything else that `who` says, has no
/// effect. Nothing waits for an answer about a trial that no longer trains.
///
/// Spawned by the experiment actors, which tell it and `who` to go.
/// @param patience 0: no limit.
[[nodiscard]] scheduler_actor guard_scheduler(caf::actor_system& system, scheduler_actor who,
                                              std::chrono::nanoseconds patience);

} // namespace tune
