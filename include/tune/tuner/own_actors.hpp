/// Schedulers and searchers that are actors of the user's own.
///
/// They speak `scheduler_actor` and `searcher_actor` of tune/actors/actors.hpp: facts come in log
/// order, answers go to the runner as `news`, whenever they are ready. Where a plain class will do,
/// an entry in a catalogue is less work: see `choices`.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/actors/actors.hpp"
#include "tune/core/schedule/scheduler.hpp"
#include "tune/core/search/searcher.hpp"

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>

namespace tune {

/// How an actor comes to its state again when an experiment goes on.
enum class recovery : std::uint8_t {
  /// It is told all facts of the record, its own recorded answers among them, before it is asked
  /// anything.
  replay,
  /// A blob of its own, stored with its place in the log. Not there yet: refused.
  snapshot,
  /// It cannot. It is told the facts like any other, and the run begins with a warning.
  none,
};

/// A scheduler as an actor.
struct own_scheduler {
  /// Recorded as `[scheduler] type`; an experiment goes on with the same.
  std::string name = "own";
  /// Called once, with the experiment's actor system; the actor is told to go at the end. A handle
  /// that exists already is returned as it is, and must live in the system of
  /// `run_options::run_in`.
  std::function<scheduler_actor(caf::actor_system&)> spawn;
  /// What the runtime must know of it beforehand.
  scheduler_traits traits = {};
  recovery recovers = recovery::replay;
};

/// A searcher as an actor.
///
/// What it may do wrong costs the run no more than an interruption with a text that says what it
/// was: see `guard_searcher`.
struct own_searcher {
  /// Recorded as `[search] type`.
  std::string name = "own";
  /// As for schedulers.
  std::function<searcher_actor(caf::actor_system&)> spawn;
  searcher_traits traits = {};
  recovery recovers = recovery::replay;
  /// How long an answer is waited for; then the run is interrupted, and can be gone on with. It is
  /// said after a tenth of that. 0 = as long as it takes.
  std::chrono::nanoseconds answer_timeout{std::chrono::minutes{10}};
};

} // namespace tune
