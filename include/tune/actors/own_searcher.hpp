/// Keeps a searcher that is an actor of a program's own from holding up its experiment, or breaking
/// it.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/actors/actors.hpp"

#include <chrono>

namespace tune {

/// An actor that stands between a runner and `who`: what the runner asks is passed on, with itself
/// in the runner's place, and so are the answers.
///
/// The run is interrupted, to be gone on with once that is mended, where `who` ends, throws,
/// answers a turn with an error, answers a question with suggestions that are none
/// (`answer_to`), or gives no answer for `patience`; the runner's observers hear after a tenth of
/// that for what it is waited. Answers to questions that are not open, and anything else that it
/// says, have no effect.
///
/// Spawned by the company, which tells it and `who` to go.
/// @param patience 0: as long as it takes.
[[nodiscard]] searcher_actor guard_searcher(caf::actor_system& system, searcher_actor who,
                                            std::chrono::nanoseconds patience);

} // namespace tune
