// Start of attempts.
// SPDX-License-Identifier: BSD-3-Clause
#include "machine.hpp"

#include <utility>

namespace tune {

void machine::take(const on::placed& what) {
  head_.note(what.attempt);
  auto* trial = live(what.trial);
  if (trial != nullptr && is_left_open(*trial)) {
    take_over(*trial, what);
    return;
  }
  if (trial == nullptr || !standing_of(*trial).awaits_lease()) {
    emit(cmd::release{what.what.id});
    return;
  }
  if (clients_.suspended()) {
    // The lease was granted before the cluster heard of the suspension: it is asked for again
    // later.
    emit(cmd::release{what.what.id});
    return;
  }
  census_.stop_waiting(standing_of(*trial));
  if (trial->aside && start_of(*trial, what.what) != trial->aside)
    leave_aside(*trial);
  if (trial->end && !start_of(*trial, what.what)) {
    emit(cmd::release{what.what.id});
    give_up_end(*trial, "none of its checkpoints can be restored");
    return;
  }
  if (has_only_bad(*trial)) {
    emit(cmd::release{what.what.id});
    fail(*trial, end_class::bad_checkpoint, "none of its checkpoints can be restored");
    return;
  }
  open(*trial, what);
}

/// Takes the trial away from its checkpoint in memory, which lies on another node.
void machine::leave_aside(live_trial& trial) {
  const auto how = "lies in the memory of node " + checkpoints_.at(trial.aside).node
                   + ", and it goes on elsewhere";
  lost_pauses lost;
  lose_aside(trial, how, lost_pauses::turn::at_once, lost);
  warn_of(lost, how, true);
}

bool machine::has_only_bad(const live_trial& trial) const {
  return !trial.checkpoints.empty() && !newest_good(trial) && !trial.aside
         && !settings_.failures.restart_from_scratch;
}

void machine::open(live_trial& trial, const on::placed& what) {
  move(trial, status_event::place);
  clients_.forget_rest();
  trial.place.was_placed = true;
  trial.draft.kind.reset();
  make_attempt(trial, what);
  if (!trial.end)
    tell_scheduler(fact::started{trial.id, trial.draft.is_redrawn ? trial.config : nullptr});
  trial.draft.is_redrawn = false;
  launch(trial);
}

/// Whether the attempt ran under an earlier head, and its fate is still unknown.
bool machine::is_left_open(const live_trial& trial) const {
  return trial.attempt && head_.is_older(trial.attempt->id) && trial.attempt->at != phase::saving
         && trial.attempt->at != phase::stopping;
}

/// Replaces the attempt by one from the newest checkpoint; for the scheduler nothing has happened.
void machine::take_over(live_trial& trial, const on::placed& what) {
  auto next = trial.attempt->leaves.pauses ? intent::nothing : trial.attempt->next;
  close_attempt(trial, {}, end_class::interrupted, "it was given anew");
  trial.failures.add(end_class::interrupted);
  make_attempt(trial, what);
  // A decision that has not been carried out yet still stands.
  set_intent(trial, next);
  launch(trial);
}

void machine::make_attempt(live_trial& trial, const on::placed& what) {
  ending_.forget_last();
  undo_exploit(trial);
  // Nothing that it reported could be the best: its next reports count, from whatever iteration.
  if (!trial.end && !trial.best.how && head_.draws() >= on::blames_nodes)
    trial.high_water = trial.judged = 0;
  auto& attempt = trial.attempt.emplace();
  attempt.id = what.attempt;
  attempt.where = what.what;
  attempt.began = now_;
  attempt.heard = now_;
  attempt.from = start_of(trial, what.what);
  if (!goes_back(trial))
    trial.pause.config_before.reset();
  attempt.config = trial.pause.config_before != nullptr ? trial.pause.config_before : trial.config;
  if (const auto* from = checkpoints_.find(attempt.from);
      from != nullptr && from->trial != trial.id) {
    attempt.donor = from->trial;
    go_on_from(trial, attempt.from);
  }
  attempt.at = attempt.from ? phase::restoring : phase::placing;
  if (trial.end) {
    attempt.next = intent::stop;
    attempt.ending.is_all = checkpoints_.at(attempt.from).iteration >= trial.end->at;
  }
  emit(attempt_row(trial));
  row(trial);
}

/// Whether the attempt begins before the iteration at which the scheduler wants a pause.
bool machine::goes_back(const live_trial& trial) const {
  const auto* from = checkpoints_.find(trial.attempt->from);
  return (from == nullptr ? 0 : from->iteration) < trial.pause.at;
}

void machine::launch(live_trial& trial) {
  // The launch waits until it is on disk: no program runs that is not in the record.
  emit(launch_of(trial), seq_);
  if (settings_.failures.progress_timeout.count() > 0)
    deadlines_.set(trial.id, due_kind::progress_timeout,
                   now_ + settings_.failures.progress_timeout);
}

checkpoint_id machine::newest_good(const live_trial& trial) const {
  for (auto i = trial.checkpoints.rbegin(); i != trial.checkpoints.rend(); ++i) {
    if (!checkpoints_.at(*i).bad)
      return *i;
  }
  return {};
}

checkpoint_id machine::start_of(const live_trial& trial, const lease& where) const {
  const auto* known = checkpoints_.find(trial.aside);
  auto is_there
      = known != nullptr && !where.bundles.empty() && where.bundles.front().node == known->node;
  return is_there ? trial.aside : newest_good(trial);
}

/// Whether no report of the trial has named the first objective, as a number or otherwise, and one
/// is still wanted.
bool machine::lacks_objective(const live_trial& trial) const {
  const auto& last = trial.last.what;
  // A trial that has come to its end only brings what is due then.
  return !trial.end && !standing_of(trial).has_number()
         && (last == nullptr || last->metrics == nullptr
             || find_path(*last->metrics, settings_.objectives.front().metric) == nullptr);
}

cmd::launch machine::launch_of(const live_trial& trial) const {
  const auto& attempt = *trial.attempt;
  cmd::launch x;
  x.trial = trial.id;
  x.attempt = attempt.id;
  x.lineage = trial.lineage;
  x.where = attempt.where;
  x.config = attempt.config;
  x.from = attempt.from;
  // The checkpoint may have been removed once the attempt trains.
  if (const auto* from = checkpoints_.find(attempt.from)) {
    x.from_trial = from->trial;
    x.from_location = from->location;
    x.iteration = from->iteration;
    x.time_total = from->time_total;
  }
  x.failures = trial.failures.count();
  x.ends = attempt.ending.is_all;
  x.costs = to_record(trial.costs);
  x.lacks_objective = attempt.from && x.from_trial == trial.id && lacks_objective(trial);
  return x;
}

std::optional<cmd::launch> machine::launch_of(trial_id id) const {
  const auto* trial = live(id);
  if (trial == nullptr || !trial->attempt)
    return std::nullopt;
  return launch_of(*trial);
}

void machine::take(const on::place_refused& what) {
  auto* trial = live(what.trial);
  if (trial == nullptr || !standing_of(*trial).awaits_lease())
    return;
  // A node may have left since the scheduler set this request: it hears of both, and may choose
  // again.
  if (!trial->end && trial->place.request != settings_.request
      && !std::exchange(trial->place.was_refused, true)) {
    hand_back(*trial);
    return;
  }
  census_.stop_waiting(standing_of(*trial));
  if (trial->end)
    return give_up_end(*trial, what.why);
  trial->failures.set_error(what.why);
  end_trial(*trial, status_event::fail, what.why, fact::end_kind::errored);
  // All trials ask for the same unless told otherwise: the rest would also be refused.
  if (trials_.all().size() == trials_.live().size() + 1)
    begin_drain({experiment_status::failed, what.why, true});
}

void machine::take(const on::started& what) {
  auto* trial = live(what.trial, what.attempt);
  if (trial == nullptr)
    return;
  auto& attempt = *trial->attempt;
  attempt.pid = what.pid;
  attempt.heard = now_;
  // The node itself limits the time of exports.
  if (what.exports)
    deadlines_.clear(trial->id, due_kind::progress_timeout);
  if (attempt.at == phase::placing || attempt.at == phase::restoring)
    begin_steps(*trial);
}

void machine::begin_steps(live_trial& trial) {
  auto& attempt = *trial.attempt;
  attempt.at = phase::stepping;
  // The checkpoint that it was restored from is no longer needed for that.
  if (const auto* from = checkpoints_.find(attempt.from))
    review(from->trial);
  if (attempt.ending.is_all)
    begin_end(trial);
}

} // namespace tune
