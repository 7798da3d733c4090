// Exports and last checkpoints that could not be made when their trial ended.
//
// A trial may come to its end while it is paused, or lose its node or head before its export or
// last checkpoint is safe. For scheduler and searcher it has ended then. A further attempt makes
// what is missing from the last checkpoint: it repeats the training up to the iteration of the end,
// and its reports do not count. Where no attempt can do that, the record says that the export is
// lost.
// SPDX-License-Identifier: BSD-3-Clause
#include "machine.hpp"

#include <utility>

namespace tune {

namespace {

/// True if the trial did not cause the end: another attempt may succeed.
bool is_no_fault(end_class how) {
  return how == end_class::interrupted || how == end_class::preempted
         || how == end_class::node_lost;
}

std::string why_not_made(end_class how, const std::string& detail) {
  return "the attempt that was to make it ended as " + std::string{to_text(how)}
         + (detail.empty() ? "" : ": " + detail);
}

} // namespace

bool machine::wants_export() const {
  return settings_.export_time.count() > 0;
}

/// Checkpoint that holds most of the trial's training.
checkpoint_id machine::last_kept(const live_trial& trial) const {
  return trial.aside ? trial.aside : newest_good(trial);
}

/// Whether the trial was to end with a checkpoint and has only older ones.
bool machine::lacks_last_checkpoint(const live_trial& trial, std::uint64_t at) const {
  auto newest = newest_good(trial);
  // A trial that does not run has what it paused with.
  const auto is_due_here = trial.attempt && head_.draws() >= on::due_at_end && is_due(at);
  return (settings_.checkpoints.at_end || is_due_here)
         && settings_.saves == save_ability::on_request && newest
         && checkpoints_.at(newest).iteration < at;
}

/// Warns if a program's loop just ended: it can no longer be asked for a checkpoint.
void machine::warn_of_unsaved_end(const live_trial& trial) {
  if (head_.draws() < on::names_first_failure || notices_.has(notice::unsaved_end)
      || !settings_.checkpoints.at_end || settings_.saves != save_ability::on_request
      || trial.last.what == nullptr)
    return;
  const auto newest = newest_good(trial);
  if (newest && checkpoints_.at(newest).iteration >= trial.last.what->iteration)
    return;
  if (notices_.is_first(notice::unsaved_end))
    emit(cmd::warn{"trial " + to_text(trial.id)
                   + " ended by itself after its last report, so that [checkpoint] at_end saved"
                     " nothing: a trial is saved that [stop] ends, or whose last report says"
                     " \"done\": true; this is said once"});
}

/// Whether a trial that does not run is to end as completed, and still has an export or a last
/// checkpoint to make.
bool machine::leaves_end_open(const live_trial& trial, fact::end_kind kind) const {
  if (head_.draws() < on::ends_whole || kind != fact::end_kind::completed
      || trial.last.what == nullptr)
    return false;
  // An external executor that keeps the checkpoints also handles the ends.
  const auto* from = checkpoints_.find(last_kept(trial));
  if (from != nullptr && from->location.starts_with(kept_outside))
    return false;
  return wants_export() || lacks_last_checkpoint(trial, trial.high_water);
}

/// Whether the attempt was to end the trial but is over before it reported its export or last
/// checkpoint: it was lost, or had been told to end for another reason, for instance to pause.
bool machine::loses_its_end(const live_trial& trial, end_class how) const {
  const auto& attempt = *trial.attempt;
  if (trial.end || attempt.next != intent::stop || how == end_class::finished
      || !leaves_end_open(trial, trial.must_end.kind))
    return false;
  if (how == end_class::stopped && attempt.ending.is_to_export)
    return false;
  auto saves = is_no_fault(how) && attempt.save.ends && attempt.save.id;
  return saves || (wants_export() && !attempt.ending.exported);
}

/// @param how End class of its attempt, if there was one.
void machine::open_the_end(live_trial& trial, std::string reason, fact::end_kind kind,
                           end_class how, const std::string& detail) {
  set_hold(trial, hold::none);
  tell_end(trial, kind);
  trial.exploits.due.reset();
  trial.must_end.why = reason;
  trial.must_end.kind = fact::end_kind::completed;
  trial.place.request = settings_.request;
  trial.end = open_end{std::move(reason), kind, trial.high_water};
  if (standing_of(trial).status() != trial_status::pending)
    move(trial, status_event::retry);
  row(trial, trial.must_end.why + "; what its end brings is made from its last checkpoint");
  if (!is_no_fault(how))
    give_up_end(trial, why_not_made(how, detail));
  else if (!last_kept(trial))
    give_up_end(trial, "the trial has no checkpoint from which it could be made later");
  else
    await_end(trial);
}

/// Queues the trial to be placed as soon as there is room, under this head or the next.
void machine::await_end(live_trial& trial) {
  if (ending_.drains() && !ending_.how().resumable)
    return give_up_end(trial, ending_.how().why);
  if (clients_.narrowed())
    ask_for(trial);
  open_ends_.add(trial.id);
}

void machine::place_open_ends() {
  // Placing a trial takes it out of the set.
  for (auto id : std::set<trial_id>{open_ends_.waiting()}) {
    auto busy = census_.busy();
    if (settings_.max_concurrent > 0 && busy >= settings_.max_concurrent)
      return;
    auto& trial = *live(id);
    if (clients_.narrowed() && !standing_of(trial).is_asked_for())
      continue;
    open_ends_.remove(id);
    census_.await_lease(standing_of(trial));
    place(trial);
  }
}

/// Ends an attempt that has reached its trial's end. A program learns of that with its next report
/// at the latest, which may take as long as any report.
void machine::begin_end(live_trial& trial) {
  auto& attempt = *trial.attempt;
  attempt.at = phase::stopping;
  attempt.closed = true;
  attempt.ending.is_to_export = exports_at_end(trial);
  emit(cmd::halt{trial.id, attempt.id, halt_mode::stop, trial.must_end.why, exports_at_end(trial)},
       seq_);
}

/// Lets an attempt train up to its trial's end. Its reports repeat earlier ones, or do not count.
void machine::report_at_end(live_trial& trial) {
  auto& attempt = *trial.attempt;
  if (attempt.at == phase::stopping)
    return;
  if (attempt.reports.iteration() >= trial.end->at)
    return enact(trial);
  attempt.reports.allow(trial.end->at - 1);
  attempt.reports.answer();
  emit(cmd::proceed{trial.id, attempt.id, attempt.reports.number(), attempt.reports.credit()});
}

/// Decides how to go on after an attempt that was to make the export or last checkpoint.
void machine::after_end(live_trial& trial, bool exported, end_class how,
                        const std::string& detail) {
  if (!wants_export() || exported)
    return close_the_end(trial);
  auto stays_open = ending_.leaves_off() && how == end_class::killed;
  if (is_no_fault(how)) {
    auto kind = static_cast<std::size_t>(how);
    stays_open = trial.failures.add(how) <= settings_.failures.budget[kind];
  } else if (how == end_class::bad_checkpoint) {
    stays_open = bool{last_kept(trial)};
  }
  if (!stays_open)
    return give_up_end(trial, why_not_made(how, detail));
  move(trial, status_event::retry);
  row(trial, std::string{to_text(how)});
  await_end(trial);
}

/// Gives up what is missing. The record says so before the trial ends.
void machine::give_up_end(live_trial& trial, std::string why) {
  if (standing_of(trial).awaits_lease())
    stop_waiting(trial);
  open_ends_.remove(trial.id);
  if (!wants_export())
    return close_the_end(trial);
  if (!trial.end->given_up.empty())
    return;
  trial.end->given_up = why.empty() ? "no attempt could make it" : std::move(why);
  open_ends_.begin_giving_up();
  emit(cmd::log{export_lost(trial, settings_.exports)});
}

void machine::close_the_end(live_trial& trial) {
  if (!trial.end->given_up.empty())
    open_ends_.end_giving_up();
  if (lacks_last_checkpoint(trial, trial.end->at)) {
    auto why = std::string{"the attempt that was to write it could not"};
    note_decision(trial, "save_failed", object{{"why", why}});
    warn_of_lost_save(trial, "it was to end with", why);
  }
  end_trial(trial, status_event::end, trial.end->reason, trial.end->kind);
}

bool machine::is_given_up(trial_id id) const {
  const auto* trial = live(id);
  return trial != nullptr && trial->end && !trial->end->given_up.empty();
}

on::exported machine::export_lost(const live_trial& trial,
                                  const std::vector<std::string>& formats) {
  on::exported result;
  result.trial = trial.id;
  for (const auto& format : formats)
    result.formats.push_back({format, {}, trial.end->given_up});
  return result;
}

} // namespace tune
