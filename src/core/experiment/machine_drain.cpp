// The early end of an experiment: everything that runs is ended first, in order.
// SPDX-License-Identifier: BSD-3-Clause
#include "machine.hpp"

#include <utility>

namespace tune {

void machine::begin_drain(drain how) {
  if (!ending_.begin(std::move(how)))
    return;
  // Ending a trial changes the set: walk over a copy.
  for (auto id : trials_.live_now()) {
    if (auto* trial = live(id))
      drain_trial(*trial);
  }
}

void machine::drain_trial(live_trial& trial) {
  if (!trial.attempt) {
    if (!ending_.how().resumable) {
      end_without_running(trial, ending_.how().why, fact::end_kind::removed);
    } else if (standing_of(trial).awaits_lease()) {
      stop_waiting(trial);
      if (trial.end)
        open_ends_.add(trial.id);
    }
    return;
  }
  if (!ending_.how().resumable) {
    decide_stop(trial, ending_.how().why, fact::end_kind::completed);
    hurry(trial);
    return;
  }
  auto& attempt = *trial.attempt;
  if (attempt.next == intent::stop || attempt.at == phase::stopping) {
    hurry(trial);
    return;
  }
  if (!obeys(attempt) || attempt.at == phase::placing) {
    halt(trial, halt_mode::stop, ending_.how().why);
    return;
  }
  // Save at the next report, but do not wait for it for ever.
  set_intent(trial, intent::pause);
  attempt.leaves.pauses = true;
  if (settings_.stop_grace.count() > 0)
    deadlines_.set(trial.id, due_kind::stop_grace, now_ + settings_.stop_grace);
  enact(trial);
}

void machine::take(const on::interrupted& what) {
  begin_drain({experiment_status::interrupted, what.why, true});
}

} // namespace tune
