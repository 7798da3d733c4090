// How checkpoints come about, and what waits for them.
//
// A checkpoint is written because the trainable was asked to, or it comes with a report. Where it
// came with the report at which a trial is to pause, that one does, and nothing is asked for. A
// trainable that cannot be asked trains on until a report brings one, and is judged meanwhile.
// SPDX-License-Identifier: BSD-3-Clause
#include "machine.hpp"

#include <algorithm>
#include <utility>

namespace tune {

bool machine::obeys(const open_attempt& attempt) const {
  return settings_.saves == save_ability::on_request && !attempt.unable;
}

/// @returns whether it may come: at its next report, or by what came with the last one.
bool machine::want_checkpoint(live_trial& trial, bool then_pause) {
  if (!trial.attempt || settings_.saves == save_ability::none)
    return false;
  auto& attempt = *trial.attempt;
  // Where it comes by itself, or never, only a pause can wait for that.
  if (!then_pause && !obeys(attempt) && !attempt.has_checkpoint()) {
    trial.lacks_checkpoint = true;
    return false;
  }
  // Others may be given it: a pause that follows may not leave it in a node's memory.
  attempt.saves_for_others = attempt.saves_for_others || !then_pause;
  set_intent(trial, then_pause ? intent::pause : intent::save);
  return true;
}

void machine::begin_pause(live_trial& trial) {
  const auto& attempt = *trial.attempt;
  // One that is being judged may save meanwhile, where it can be asked.
  if (obeys(attempt) || attempt.judging == 0)
    proceed(trial, attempt.go_on_until);
}

/// Pauses by the checkpoint that its report brought, or that it is asked for.
/// @returns whether the report is not to be answered otherwise.
bool machine::pauses_here(live_trial& trial) {
  auto& attempt = *trial.attempt;
  if (attempt.next != intent::pause)
    return false;
  // What becomes of it will be told.
  if (attempt.at == phase::saving || attempt.handing_over.contains(attempt.iteration))
    return true;
  if (attempt.has_checkpoint()) {
    attempt.ends_with_save = true;
    halt(trial, halt_mode::release, "pause");
    return true;
  }
  if (obeys(attempt)) {
    begin_save(trial, true);
    return true;
  }
  if (attempt.leaves_off)
    return false;
  trial.lacks_checkpoint = true;
  if (!std::exchange(attempt.noted_waiting, true))
    note_decision(trial, "pause_waits",
                  object{{"why", "this report brought no checkpoint: it goes on to the next one "
                                 "that does"}});
  return false;
}

void machine::begin_save(live_trial& trial, bool then_end) {
  auto& attempt = *trial.attempt;
  attempt.saving = checkpoint_id{++checkpoints_made_};
  attempt.saving_marks = marks_of(attempt, {}, attempt.iteration);
  attempt.ends_with_save = then_end;
  attempt.at = phase::saving;
  attempt.answered = attempt.reported;
  // One that leaves off with its head must find it on disk; and where trials are to end with a
  // checkpoint, the one of a pause may be the last.
  attempt.saves_in_memory = settings_.checkpoints.pause_in_memory && then_end
                            && attempt.next == intent::pause && !attempt.leaves_off
                            && !attempt.no_memory && !attempt.saves_for_others
                            && !(settings_.checkpoints.at_end && draws_ >= on::ends_whole);
  attempt.saves_for_others = false;
  attempt.is_to_export = attempt.is_to_export || (then_end && exports_at_end(trial));
  emit(save_of(trial), then_end ? seq_ : 0);
}

cmd::save machine::save_of(const live_trial& trial) const {
  const auto& attempt = *trial.attempt;
  cmd::save x;
  x.trial = trial.id;
  x.attempt = attempt.id;
  x.checkpoint = attempt.saving;
  x.number = attempt.reported;
  x.iteration = attempt.iteration;
  x.then_end = attempt.ends_with_save;
  x.in_memory = attempt.saves_in_memory;
  x.exports = attempt.ends_with_save && exports_at_end(trial);
  return x;
}

/// Not where its scheduler gave it up, nor where it is to go on elsewhere or later.
bool machine::exports_at_end(const live_trial& trial) const {
  return settings_.export_time.count() > 0 && trial.attempt->next == intent::stop
         && trial.stop_kind == fact::end_kind::completed;
}

bool machine::is_due(std::uint64_t iteration) const {
  const auto frequency = settings_.checkpoints.frequency;
  return frequency > 0 && iteration > 0 && iteration % frequency == 0;
}

/// It is complete, and stands where a checkpoint can be had that is wanted.
bool machine::saves_at_end(const live_trial& trial) const {
  const auto& attempt = *trial.attempt;
  if (!obeys(attempt) || !attempt.at_boundary() || trial.stop_kind != fact::end_kind::completed)
    return false;
  const auto is_due_here
      = draws_ >= on::due_at_end && is_due(attempt.iteration) && !attempt.has_checkpoint();
  return settings_.checkpoints.at_end || is_due_here;
}

bool machine::is_doubled(const open_attempt& attempt, const on::saved& what) const {
  if (what.checkpoint)
    return what.checkpoint != attempt.saving && what.checkpoint.number <= checkpoints_made_;
  // An executor outside says by its checkpoints alone that it has some.
  return attempt.handed_over != 0 && !attempt.handing_over.contains(what.iteration);
}

bool machine::is_doubled(const open_attempt& attempt, const on::save_failed& what) {
  return !what.checkpoint && what.iteration != 0 && !attempt.handing_over.contains(what.iteration);
}

void machine::take(const on::saved& what) {
  auto* trial = live(what.trial, what.attempt);
  if (trial == nullptr || is_doubled(*trial->attempt, what))
    return;
  auto id = what.checkpoint;
  checkpoints_made_ = std::max(checkpoints_made_, id.number);
  checkpoint_entry made{what.trial,      what.iteration,
                        what.time_total, what.location,
                        what.bytes,      marks_of(*trial->attempt, id, what.iteration)};
  if (what.location.starts_with(kept_in_memory))
    set_aside(*trial, id, std::move(made));
  else
    keep_on_disk(*trial, id, std::move(made));
  auto& attempt = *trial->attempt;
  attempt.heard = now_;
  // Its report did not count, and nobody else knows that it came.
  if (attempt.only_ends)
    attempt.handed_over = std::max(attempt.handed_over, what.iteration);
  if (attempt.at == phase::saving && attempt.saving == id)
    end_save(*trial);
  else
    settle_handover(*trial, what.iteration, true);
}

/// What it was asked for is safe.
void machine::end_save(live_trial& trial) {
  auto& attempt = *trial.attempt;
  // With `ends_with_save` the attempt comes to its end by itself.
  attempt.at = attempt.ends_with_save ? phase::stopping : phase::stepping;
  attempt.closed = attempt.ends_with_save;
  attempt.saving = {};
  if (attempt.at == phase::stepping)
    enact(trial);
  else
    bound_the_end(trial);
}

/// It is known what became of a checkpoint that came with a report.
void machine::settle_handover(live_trial& trial, std::uint64_t iteration, bool kept) {
  auto& attempt = *trial.attempt;
  if (attempt.handing_over.erase(iteration) == 0)
    return;
  if (kept)
    attempt.handed_over = std::max(attempt.handed_over, iteration);
  if (attempt.next == intent::pause)
    enact(trial);
}

void machine::keep_on_disk(live_trial& trial, checkpoint_id id, checkpoint_entry what) {
  auto iteration = what.iteration;
  trial.lacks_checkpoint = false;
  if (best_ && best_->trial == trial.id && best_lineage_ == trial.lineage)
    best_newest_ = what.location;
  if (trial.attempt->saves_in_memory && trial.attempt->saving == id && !what.location.empty()
      && !std::exchange(warned_of_memory_, true))
    emit(cmd::warn{"trial " + to_text(trial.id) + ": its pause went to disk, since node "
                   + trial.attempt->home() + " has no room for it in memory"});
  if (auto before = newest_good(trial); before && checkpoints_.at(before).trial == trial.id)
    checkpoints_.at(before).until = seq_;
  keep(id, std::move(what));
  trial.checkpoints.push_back(id);
  offer_for_best(trial, id);
  review(trial.id);
  review_all();
  if (!trial.end)
    tell_scheduler(fact::saved{trial.id, id, iteration});
}

/// The trial goes on without it. One that fails alike at each report is noted once.
void machine::note_refused_handover(live_trial& trial, const std::string& why) {
  if (std::exchange(trial.attempt->refused, why) == why)
    return;
  note_decision(trial, "save_failed", object{{"why", why}});
  warn_of_lost_save(trial, "it handed over", why);
}

/// Once: where it is so for one trial it mostly is for all.
void machine::warn_of_lost_save(const live_trial& trial, const std::string& which,
                                const std::string& why) {
  if (!std::exchange(warned_of_lost_save_, true))
    emit(cmd::warn{"trial " + to_text(trial.id) + ": a checkpoint that " + which
                   + " is not kept: " + why});
}

/// It could not pause into memory. It trains on, and pauses at its next report all the same.
void machine::pause_on_disk(live_trial& trial, const std::string& why) {
  auto& attempt = *trial.attempt;
  attempt.no_memory = true;
  emit(cmd::proceed{trial.id, attempt.id, attempt.reported, attempt.credit});
  if (!std::exchange(warned_of_memory_, true))
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
  if (trial->attempt->saving != what.checkpoint)
    return;
  auto& attempt = *trial->attempt;
  attempt.saving = {};
  attempt.at = phase::stepping;
  attempt.unable = attempt.unable || what.unable;
  note_decision(*trial, "save_failed", object{{"why", what.why}});
  if (!what.unable && !attempt.saves_in_memory)
    warn_of_lost_save(*trial, "it was asked for", what.why);
  if (!attempt.ends_with_save) {
    trial->lacks_checkpoint = trial->lacks_checkpoint || what.unable;
    enact(*trial);
    return;
  }
  attempt.ends_with_save = false;
  if (std::exchange(attempt.saves_in_memory, false)) {
    pause_on_disk(*trial, what.why);
    return;
  }
  // It waits for its answer all the same.
  attempt.answered = attempt.reported - 1;
  if (attempt.next != intent::pause)
    halt(*trial, halt_mode::stop, trial->stop_reason);
  else if (!what.unable)
    fail_pause(*trial, what.why);
  else if (drain_)
    halt_at_work(*trial, drain_->why);
  else
    enact(*trial);
}

/// One that cannot save trains on once it has said so: its next report counts.
void machine::halt_at_work(live_trial& trial, std::string why) {
  halt(trial, halt_mode::stop, std::move(why));
  trial.attempt->closed = false;
}

/// It wanted to pause: it keeps running, and that counts as a failure.
void machine::fail_pause(live_trial& trial, const std::string& why) {
  auto& attempt = *trial.attempt;
  attempt.leaves_unsaved = attempt.leaves_off || drain_;
  if (!attempt.leaves_off || drain_)
    ++trial.failures[static_cast<std::size_t>(end_class::user_error)];
  attempt.leaves_off = false;
  attempt.next = intent::nothing;
  trial.pauses_at = 0;
  set_hold(trial, hold::none);
  row(trial, "save failed: " + why);
  if (attempt.judging == 0)
    proceed(trial, 0);
}

} // namespace tune
