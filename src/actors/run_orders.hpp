/// Requests to a run, as events of its engine. Private to the runner.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "room_notes.hpp"
#include "tune/actors/runner.hpp"
#include "tune/core/experiment/engine.hpp"

#include <utility>
#include <vector>

namespace tune {

/// @returns a verdict for each request.
[[nodiscard]] inline std::vector<order_verdict> order_all(engine& run, std::vector<event_body> what,
                                                          instant now) {
  std::vector<order_verdict> result;
  for (auto& x : what)
    result.push_back(run.order(std::move(x), now));
  return result;
}

/// Has the trial pause that takes up the room of a lease, and wait for its turn again. A pause that
/// a client asked for stays one: only one that this asks for ends by itself.
/// @param notes Gets a note for whom, if it will pause. @returns whether the trial still runs
/// there.
[[nodiscard]] inline bool pause_for(engine& run, const room_wanted& x, instant now,
                                    room_notes& notes) {
  const auto launch = run.machine().launch_of(x.trial);
  if (!launch || launch->where.id != x.lease)
    return false;
  const auto paused = run.order(on::pause_asked{x.trial}, now);
  if (paused.what == order_verdict::kind::taken) {
    notes.asked(x.trial, launch->attempt, x.for_whom);
    static_cast<void>(run.order(on::unpause_asked{x.trial}, now));
  }
  return true;
}

} // namespace tune
