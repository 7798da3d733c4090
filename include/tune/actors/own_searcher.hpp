/// Keeps a searcher that is a program's own actor from holding up or breaking its experiment.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/actors/actors.hpp"

#include <chrono>

namespace tune {

/// Spawns an actor between a runner and `who`: it passes on the runner's questions with itself as
/// the runner, and the answers.
///
/// It interrupts the run, which can go on once the cause is fixed, if `who` ends, throws, answers a
/// turn with an error, answers a question with invalid suggestions (`answer_to`), or gives no
/// answer for `patience`; after a tenth of `patience` it tells the runner's observers what the run
/// is waiting for. Answers to questions that are not open, and anything else that `who` says, have
/// no effect.
///
/// Spawned by the experiment actors, which tell it and `who` to go.
/// @param patience 0: no limit.
[[nodiscard]] searcher_actor guard_searcher(caf::actor_system& system, searcher_actor who,
                                            std::chrono::nanoseconds patience);

} // namespace tune
