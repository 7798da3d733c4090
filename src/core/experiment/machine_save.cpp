// How checkpoints are made, and what waits for them.
//
// A trainable writes a checkpoint when asked to, or hands one over with a report. If one came with
// the report at which the trial is to pause, the trial pauses with that. A trainable that cannot be
// asked trains on, and is judged, until a report brings one.
// SPDX-License-Identifier: BSD-3-Clause
#include "machine.hpp"

#include <algorithm>
#include <utility>

namespace tune {

bool machine::obeys(const open_attempt& attempt) const {
  return settings_.saves == save_ability::on_request && !attempt.unable;
}

/// @returns whether a checkpoint may come: at the next report, or from the last one.
bool machine::want_checkpoint(live_trial& trial, bool then_pause) {
  if (!trial.attempt || settings_.saves == save_ability::none)
    return false;
  auto& attempt = *trial.attempt;
  // Without saves on request, only a pause can wait for a checkpoint.
  if (!then_pause && !obeys(attempt) && !attempt.has_checkpoint()) {
    trial.lacks_checkpoint = true;
    return false;
  }
  // Other trials may take it over: if a pause follows, it must not stay in a node's memory.
  attempt.saves_for_others = attempt.saves_for_others || !then_pause;
  set_intent(trial, then_pause ? intent::pause : intent::save);
  return true;
}

void machine::begin_pause(live_trial& trial) {
  const auto& attempt = *trial.attempt;
  // While the last report is being judged, only a trainable that can be asked saves meanwhile.
  if (obeys(attempt) || attempt.reports.judging() == 0)
    proceed(trial, attempt.go_on_until);
}

/// Pauses with the checkpoint that the report brought, or asks for one.
/// @returns true if the report must not be answered otherwise.
bool machine::pauses_here(live_trial& trial) {
  auto& attempt = *trial.attempt;
  if (attempt.next != intent::pause)
    return false;
  // The outcome of the pending checkpoint will be reported.
  if (attempt.at == phase::saving || attempt.handed_over.is_on_its_way(attempt.reports.iteration()))
    return true;
  if (attempt.has_checkpoint()) {
    attempt.save.ends = true;
    halt(trial, halt_mode::release, "pause");
    return true;
  }
  if (obeys(attempt)) {
    begin_save(trial, true);
    return true;
  }
  if (attempt.leaves.pauses)
    return false;
  trial.lacks_checkpoint = true;
  if (!std::exchange(attempt.noted_waiting, true))
    note_waiting(trial);
  return false;
}

/// The trial is to pause, but trains on: perhaps for ever, if its program cannot save.
void machine::note_waiting(live_trial& trial) {
  note_decision(trial, "pause_waits",
                object{{"why", "this report brought no checkpoint: it goes on to the next one "
                               "that does"}});
  if (standing_of(trial).held() == hold::wakes && head_.draws() >= on::blames_nodes)
    row(trial, {});
}

void machine::begin_save(live_trial& trial, bool then_end) {
  auto& attempt = *trial.attempt;
  attempt.save.id = checkpoints_.make();
  attempt.save.marks = marks_of(attempt, {}, attempt.reports.iteration());
  attempt.save.ends = then_end;
  attempt.at = phase::saving;
  attempt.reports.answer();
  // A trial that leaves off with its head needs the checkpoint on disk; and where trials are to end
  // with a checkpoint, the one of a pause may be the last.
  attempt.save.in_memory = settings_.checkpoints.pause_in_memory && then_end
                           && attempt.next == intent::pause && !attempt.leaves.pauses
                           && !attempt.no_memory && !attempt.saves_for_others
                           && !(settings_.checkpoints.at_end && head_.draws() >= on::ends_whole);
  attempt.saves_for_others = false;
  attempt.ending.is_to_export = attempt.ending.is_to_export || (then_end && exports_at_end(trial));
  emit(save_of(trial), then_end ? seq_ : 0);
}

cmd::save machine::save_of(const live_trial& trial) const {
  const auto& attempt = *trial.attempt;
  cmd::save x;
  x.trial = trial.id;
  x.attempt = attempt.id;
  x.checkpoint = attempt.save.id;
  x.number = attempt.reports.number();
  x.iteration = attempt.reports.iteration();
  x.then_end = attempt.save.ends;
  x.in_memory = attempt.save.in_memory;
  x.exports = attempt.save.ends && exports_at_end(trial);
  return x;
}

/// False if the scheduler gave the trial up, or if the trial is to go on elsewhere or later.
bool machine::exports_at_end(const live_trial& trial) const {
  return settings_.export_time.count() > 0 && trial.attempt->next == intent::stop
         && trial.must_end.kind == fact::end_kind::completed;
}

bool machine::is_due(std::uint64_t iteration) const {
  const auto frequency = settings_.checkpoints.frequency;
  return frequency > 0 && iteration > 0 && iteration % frequency == 0;
}

/// Whether the trial is complete, a checkpoint is wanted, and one can be made here.
bool machine::saves_at_end(const live_trial& trial) const {
  const auto& attempt = *trial.attempt;
  if (!obeys(attempt) || !attempt.at_boundary() || trial.must_end.kind != fact::end_kind::completed)
    return false;
  const auto is_due_here = head_.draws() >= on::due_at_end && is_due(attempt.reports.iteration())
                           && !attempt.has_checkpoint();
  return settings_.checkpoints.at_end || is_due_here;
}

bool machine::is_doubled(const open_attempt& attempt, const on::saved& what) const {
  if (what.checkpoint)
    return what.checkpoint != attempt.save.id && what.checkpoint <= checkpoints_.last();
  return attempt.handed_over.is_doubled(what.iteration);
}

bool machine::is_doubled(const open_attempt& attempt, const on::save_failed& what) {
  return !what.checkpoint && what.iteration != 0
         && !attempt.handed_over.is_on_its_way(what.iteration);
}

void machine::take(const on::saved& what) {
  auto* trial = live(what.trial, what.attempt);
  if (trial == nullptr || is_doubled(*trial->attempt, what))
    return;
  auto id = what.checkpoint;
  checkpoints_.note_made(id);
  checkpoint_entry made{what.trial,      what.iteration,
                        what.time_total, what.location,
                        what.bytes,      marks_of(*trial->attempt, id, what.iteration)};
  if (what.location.starts_with(kept_in_memory))
    set_aside(*trial, id, std::move(made));
  else
    keep_on_disk(*trial, id, std::move(made));
  auto& attempt = *trial->attempt;
  attempt.heard = now_;
  // The report did not count, so the checkpoint was not noted with it.
  if (attempt.ending.is_all)
    attempt.handed_over.note_registered(what.iteration);
  if (attempt.at == phase::saving && attempt.save.id == id)
    end_save(*trial);
  else
    settle_handover(*trial, what.iteration, true);
}

/// Goes on after the requested checkpoint is safe.
void machine::end_save(live_trial& trial) {
  auto& attempt = *trial.attempt;
  // With `save.ends` the attempt ends by itself.
  attempt.at = attempt.save.ends ? phase::stopping : phase::stepping;
  attempt.closed = attempt.save.ends;
  attempt.save.id = {};
  if (attempt.at == phase::stepping)
    enact(trial);
  else
    bound_the_end(trial);
}

/// Notes the outcome of a checkpoint that came with a report.
void machine::settle_handover(live_trial& trial, std::uint64_t iteration, bool kept) {
  auto& attempt = *trial.attempt;
  if (attempt.handed_over.settle(iteration, kept) && attempt.next == intent::pause)
    enact(trial);
}

void machine::keep_on_disk(live_trial& trial, checkpoint_id id, checkpoint_entry what) {
  auto iteration = what.iteration;
  // What an executor keeps without a name only the trial itself can go on from.
  const auto is_given = what.location != kept_outside || head_.draws() < on::clones_named;
  trial.lacks_checkpoint = false;
  if (best_.is(trial.id, trial.lineage) && is_given)
    best_.set_newest(what.location);
  if (trial.attempt->save.in_memory && trial.attempt->save.id == id && !what.location.empty()
      && notices_.is_first(notice::no_memory))
    emit(cmd::warn{"trial " + to_text(trial.id) + ": its pause went to disk, since node "
                   + trial.attempt->home() + " has no room for it in memory"});
  if (auto before = newest_good(trial); before && checkpoints_.at(before).trial == trial.id)
    checkpoints_.replace(before, seq_);
  checkpoints_.keep(id, std::move(what));
  trial.checkpoints.push_back(id);
  if (is_given)
    offer_for_best(trial, id);
  review(trial.id);
  review_all();
  if (!trial.end && is_given)
    tell_scheduler(fact::saved{trial.id, id, iteration});
}

/// Notes a refused checkpoint; the trial goes on. Repeated failures with the same text are noted
/// once.
void machine::note_refused_handover(live_trial& trial, const std::string& why) {
  if (!trial.attempt->handed_over.refuse(why))
    return;
  note_decision(trial, "save_failed", object{{"why", why}});
  warn_of_lost_save(trial, "it handed over", why);
}

/// Warns once: what is true of one trial is mostly true of all.
void machine::warn_of_lost_save(const live_trial& trial, const std::string& which,
                                const std::string& why) {
  if (notices_.is_first(notice::lost_save))
    emit(cmd::warn{"trial " + to_text(trial.id) + ": a checkpoint that " + which
                   + " is not kept: " + why});
}

/// After a failed pause into memory the trial trains on, and pauses on disk at its next report.
void machine::pause_on_disk(live_trial& trial, const std::string& why) {
  auto& attempt = *trial.attempt;
  attempt.no_memory = true;
  emit(cmd::proceed{trial.id, attempt.id, attempt.reports.number(), attempt.reports.credit()});
  if (notices_.is_first(notice::no_memory))
    emit(cmd::warn{"trial " + to_text(trial.id)
                   + ": it could not pause into memory, and is to pause on disk: " + why});
}

void machine::take(const on::save_failed& what) {
  auto* trial = live(what.trial, what.attempt);
  if (trial == nullptr || is_doubled(*trial->attempt, what))
    return;
  if (!what.checkpoint) {
    note_refused_handover(*trial, what.why);
    settle_handover(*trial, what.iteration, false);
    return;
  }
  if (trial->attempt->save.id != what.checkpoint)
    return;
  auto& attempt = *trial->attempt;
  attempt.save.id = {};
  attempt.at = phase::stepping;
  attempt.unable = attempt.unable || what.unable;
  note_decision(*trial, "save_failed", object{{"why", what.why}});
  if (!what.unable && !attempt.save.in_memory)
    warn_of_lost_save(*trial, "it was asked for", what.why);
  if (!attempt.save.ends) {
    trial->lacks_checkpoint = trial->lacks_checkpoint || what.unable;
    enact(*trial);
    return;
  }
  attempt.save.ends = false;
  if (std::exchange(attempt.save.in_memory, false)) {
    pause_on_disk(*trial, what.why);
    return;
  }
  // The report still waits for its answer.
  attempt.reports.reopen();
  if (attempt.next != intent::pause)
    halt(*trial, halt_mode::stop, trial->must_end.why);
  else if (!what.unable)
    fail_pause(*trial, what.why);
  else if (ending_.drains())
    halt_at_work(*trial, ending_.how().why);
  else
    enact(*trial);
}

/// Halts an attempt that cannot save, once it has said so: its next report still counts.
void machine::halt_at_work(live_trial& trial, std::string why) {
  halt(trial, halt_mode::stop, std::move(why));
  trial.attempt->closed = false;
}

/// Handles a failed pause: the trial keeps running, and the failure counts.
void machine::fail_pause(live_trial& trial, const std::string& why) {
  auto& attempt = *trial.attempt;
  attempt.leaves.is_unsaved = attempt.leaves.pauses || ending_.drains();
  if (!attempt.leaves.pauses || ending_.drains())
    trial.failures.add(end_class::user_error);
  attempt.leaves.pauses = false;
  attempt.next = intent::nothing;
  trial.pause.at = 0;
  set_hold(trial, hold::none);
  row(trial, "save failed: " + why);
  if (attempt.reports.judging() == 0)
    proceed(trial, 0);
}

} // namespace tune
