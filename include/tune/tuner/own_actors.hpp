/// Schedulers and searchers that are the user's own actors.
///
/// They implement `scheduler_actor` and `searcher_actor` of tune/actors/actors.hpp: facts come in
/// log order, answers go to the runner as `news`, whenever they are ready. Where a plain class will
/// do, an entry in a catalogue is less work: see `choices`.
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

/// How an actor recovers its state when an experiment goes on.
enum class recovery : std::uint8_t {
  /// The actor is told all facts of the record, including its own recorded answers, before the
  /// first question.
  replay,
  /// From a blob of its own, stored with its place in the log. Not implemented yet: refused.
  snapshot,
  /// The actor cannot recover. It is told the facts like any other, and the run begins with a
  /// warning.
  none,
};

/// A scheduler as an actor.
///
/// Its mistakes cost the run no more than an interruption with a text that describes them: see
/// `guard_scheduler`.
struct own_scheduler {
  /// Recorded as `[scheduler] type`; the experiment must go on with the same name.
  std::string name = "own";
  /// Called once, with the experiment's actor system; the actor is told to go at the end. It may
  /// return a handle to an existing actor, which must live in the system of `run_options::run_in`.
  std::function<scheduler_actor(caf::actor_system&)> spawn;
  /// Traits that the runtime must know beforehand.
  scheduler_traits traits = {};
  recovery recovers = recovery::replay;
  /// Longest wait for an answer; then the run is interrupted, and can go on later. A remark is
  /// shown after a tenth of that time. 0 = no limit.
  std::chrono::nanoseconds answer_timeout{std::chrono::minutes{10}};
};

/// A searcher as an actor.
///
/// Its mistakes cost the run no more than an interruption with a text that describes them: see
/// `guard_searcher`.
struct own_searcher {
  /// Recorded as `[search] type`.
  std::string name = "own";
  /// As in `own_scheduler`.
  std::function<searcher_actor(caf::actor_system&)> spawn;
  searcher_traits traits = {};
  recovery recovers = recovery::replay;
  /// As in `own_scheduler`.
  std::chrono::nanoseconds answer_timeout{std::chrono::minutes{10}};
};

} // namespace tune
