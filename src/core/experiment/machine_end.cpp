// Ends of attempts and trials.
// SPDX-License-Identifier: BSD-3-Clause
#include "machine.hpp"

#include "tune/core/experiment/made_room.hpp"
#include "tune/core/stop/needed_metric.hpp"
#include "tune/core/trial/end_reasons.hpp"
#include "tune/core/trial/failure_form.hpp"

#include <algorithm>
#include <cassert>
#include <utility>

namespace tune {

namespace {

/// Value of a metric in a report, for people.
std::string shown_metric(const report& from, const std::string& name) {
  if (from.metrics == nullptr || find_path(*from.metrics, name) == nullptr)
    return "nothing of it";
  return shown_as_written(metric(from, name));
}

/// What an attempt had cost by its last report: of one that is lost nothing else is known.
metrics_ptr reported_costs(const live_trial& trial) {
  const auto& newest = trial.attempt->reports.newest();
  if (newest == nullptr || newest->metrics == nullptr)
    return nullptr;
  return to_record(cost_sheet::among(*newest->metrics).since(trial.costs));
}

/// Reason for stopping a trial whose reports came only as it ended.
std::string without_saving(const std::string& reason) {
  return reason + (reason.empty() ? "" : "; ") + std::string{had_run_its_course};
}

/// Why a trial waits for its turn that was to pause, but only as long as it takes.
/// @param detail How its attempt ended.
std::string why_it_waits(const std::string& detail) {
  return made_room_for(detail).empty() ? "unpaused" : "waits for its turn: it " + detail;
}

} // namespace

/// What the end of an attempt means, given what was asked of it.
machine::attempt_end machine::end_of(const live_trial& trial, const on::ended& what) const {
  const auto& attempt = *trial.attempt;
  const auto wanted = attempt.next;
  attempt_end result{attempt.killed_for.value_or(what.how), what.detail};
  auto& [how, detail] = result;
  if (attempt.killed_for == end_class::timeout)
    detail = "no report within the progress timeout" + (detail.empty() ? "" : "; " + detail);
  const auto head_ends = ending_.leaves_off();
  // No failure of the trial: the checkpoint it was to leave off with could not be kept.
  if (how == end_class::user_error && attempt.leaves.is_unsaved)
    how = head_ends ? end_class::interrupted : end_class::preempted;
  const auto saved = attempt.save.ends && !attempt.save.id;
  const auto as_told = how == end_class::stopped || how == end_class::paused;
  // Once it has saved, it does not matter how the attempt ends.
  const auto let_go = saved && attempt.at == phase::stopping && how == end_class::killed;
  const auto cut_short = how == end_class::interrupted || how == end_class::preempted || let_go;
  // The scheduler's pause outlives the head: otherwise the trial would train beyond it.
  const auto is_paused = wanted == intent::pause && saved && trial.pause.at != 0
                         && attempt.reports.iteration() >= trial.pause.at;
  const auto leaves_off = attempt.leaves.pauses || head_ends;
  if (leaves_off && !is_paused && wanted != intent::stop && (as_told || cut_short)) {
    how = head_ends ? end_class::interrupted : end_class::preempted;
  } else if (wanted == intent::pause && saved && (as_told || cut_short)) {
    how = end_class::paused;
  } else if (wanted == intent::pause && as_told) {
    how = end_class::user_error;
    detail
        = "it was to pause, but ended without a checkpoint" + (detail.empty() ? "" : ": " + detail);
    if (what.exit_status.value_or(0) > 0)
      detail += ", with status " + std::to_string(*what.exit_status);
  }
  return result;
}

void machine::take(const on::ended& what) {
  auto* trial = live(what.trial, what.attempt);
  if (trial == nullptr)
    return;
  const auto [how, detail] = end_of(*trial, what);
  const auto& attempt = *trial->attempt;
  const auto wanted = attempt.next;
  const auto released = attempt.at == phase::stopping;
  auto from = attempt.from;
  auto exported = attempt.ending.exported;
  auto loses_end = loses_its_end(*trial, how);
  auto was_told = attempt.ending.is_to_export;
  if (how == end_class::bad_checkpoint && from) {
    note_bad(from);
    emit(cmd::log{on::checkpoint_bad{what.trial, what.attempt, from, detail}});
  }
  auto was_aside = from && from == trial->aside;
  close_attempt(*trial, what, how, detail);
  // A pause in memory from which the attempt went on is kept where the attempt was taken away
  // through no fault of its own: it tries again from there.
  if (was_aside && how != end_class::preempted && how != end_class::interrupted)
    drop_aside(*trial);
  if (trial->end)
    after_end(*trial, exported, how, detail);
  else if (loses_end)
    open_the_end(*trial, trial->must_end.why, trial->must_end.kind,
                 was_told ? how : end_class::preempted, detail);
  else if (wanted == intent::stop)
    end_trial(*trial, status_event::end,
              what.came_late ? without_saving(trial->must_end.why) : trial->must_end.why,
              trial->must_end.kind);
  else if (trial->exploits.due && released)
    requeue(*trial, "exploits " + to_text(trial->exploits.due->donor));
  else if (was_aside && how == end_class::bad_checkpoint)
    go_on_without_aside(*trial, detail);
  else
    after_attempt(*trial, how, detail);
}

/// Handles a checkpoint in memory that cannot be read back. It is none of the trial's checkpoints
/// on disk: the trial goes on from those, or from scratch.
void machine::go_on_without_aside(live_trial& trial, const std::string& why) {
  trial.failures.add(end_class::bad_checkpoint);
  trial.failures.set_error(why);
  if (has_only_bad(trial))
    end_trial(trial, status_event::fail, "bad_checkpoint", fact::end_kind::errored);
  else
    requeue(trial, std::string{to_text(end_class::bad_checkpoint)});
}

void machine::lose_node(trial_id id, const on::node_down& what) {
  auto* trial = live(id);
  if (trial == nullptr || !trial->attempt)
    return;
  if (!trial->attempt->is_on(what.node))
    return;
  // The trainable may still live on another node, without its helpers.
  if (trial->attempt->home() != what.node)
    emit(cmd::halt{trial->id, trial->attempt->id, halt_mode::kill, "its helpers' node was lost"});
  // What was taken for silence of the trial may have been that of its node.
  if (trial->attempt->killed_for == end_class::timeout && head_.draws() >= on::blames_nodes)
    trial->attempt->killed_for.reset();
  // The last words of a node that left may arrive after its connection ends.
  const auto leaves = trial->attempt->leaves.node_goes;
  const auto lost = std::string{leaves ? " was lost as it was leaving" : " was lost"};
  const auto why = what.why.empty() ? "" : ": " + what.why;
  take(on::ended{id,
                 trial->attempt->id,
                 leaves ? end_class::preempted : end_class::node_lost,
                 "node " + what.node + (leaves && !what.is_lost ? " left" : lost + why),
                 {}});
}

/// Gives up an attempt that its node, though alive, does not end, for instance because its disk
/// hangs.
void machine::give_up(live_trial& trial) {
  const auto node = trial.attempt->home();
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(settings_.kill_time);
  take(on::ended{trial.id,
                 trial.attempt->id,
                 end_class::node_lost,
                 "node " + node + " did not end it within " + std::to_string(seconds.count())
                     + " s, and may be stuck; it was given up there",
                 {}});
}

/// Prepares for the loss of a node that is about to go: the trial saves at its next report and goes
/// on elsewhere. A trial that cannot save keeps running: it may finish in the time that is left.
void machine::leave_node(live_trial& trial) {
  auto& attempt = *trial.attempt;
  attempt.no_memory = true;
  attempt.leaves.node_goes = true;
  if (attempt.next > intent::save || attempt.at == phase::stopping
      || settings_.saves == save_ability::none)
    return;
  set_intent(trial, intent::pause);
  attempt.leaves.pauses = true;
  enact(trial);
}

void machine::close_attempt(live_trial& trial, const on::ended& what, end_class how,
                            const std::string& detail) {
  auto& attempt = *trial.attempt;
  forget_verdict(attempt);
  deadlines_.clear(trial.id);
  auto x = attempt_row(trial);
  x.finished = now_;
  x.how = how;
  x.detail = detail;
  x.exit_status = what.exit_status;
  x.costs = what.costs != nullptr ? what.costs : reported_costs(trial);
  trial.costs.add(from_record(x.costs));
  emit(std::move(x));
  trial.attempt.reset();
}

void machine::after_attempt(live_trial& trial, end_class how, const std::string& detail) {
  switch (how) {
    case end_class::finished:
      warn_of_unsaved_end(trial);
      end_trial(trial, status_event::end, {}, fact::end_kind::completed);
      return;
    case end_class::stopped:
      // Not stopped by this runtime: somebody outside did it.
      end_trial(trial, status_event::end, detail, fact::end_kind::completed);
      return;
    case end_class::paused:
      move(trial, status_event::paused);
      row(trial, "paused");
      tell_scheduler(fact::paused{trial.id, newest_good(trial)});
      if (standing_of(trial).held() == hold::wakes) {
        set_hold(trial, hold::none);
        static_cast<void>(allow_on(trial, why_it_waits(detail)));
      }
      return;
    case end_class::bad_checkpoint:
      if (newest_good(trial) || settings_.failures.restart_from_scratch) {
        trial.failures.add(how);
        trial.failures.set_error(detail);
        requeue(trial, std::string{to_text(how)});
        return;
      }
      fail(trial, how, detail);
      return;
    case end_class::preempted:
    case end_class::interrupted:
    case end_class::node_lost:
      trial.failures.add(how);
      if (trial.failures.of(how) <= settings_.failures.budget[static_cast<std::size_t>(how)]) {
        requeue(trial, std::string{to_text(how)}, how == end_class::interrupted);
        return;
      }
      [[fallthrough]];
    default:
      fail(trial, how, detail);
  }
}

std::string machine::fail_fast_reason(trial_id which, const std::string& detail) const {
  const auto trial = "trial " + to_text(which) + ": ";
  return "fail_fast: " + (head_.draws() >= on::names_first_failure ? trial : std::string{})
         + detail;
}

void machine::fail(live_trial& trial, end_class how, const std::string& detail) {
  auto& policy = settings_.failures;
  auto kind = static_cast<std::size_t>(how);
  if (how != end_class::node_lost)
    trial.failures.add(how);
  trial.failures.set_error(detail);
  // If nothing can be restored, another attempt would begin from scratch.
  auto for_good = how == end_class::bad_checkpoint || trial.failures.of(how) > policy.budget[kind];
  if (for_good || policy.fail_fast) {
    // `trial` is gone after its end.
    const auto id = trial.id;
    end_trial(trial, status_event::fail, std::string{to_text(how)}, fact::end_kind::errored);
    note_opening_failure(how, detail);
    if (policy.fail_fast && !ending_.drains())
      begin_drain({experiment_status::failed, fail_fast_reason(id, detail), true});
    return;
  }
  tell_scheduler(fact::failed{trial.id});
  if (trial.pause.config_before == nullptr)
    trial.pause.at = 0;
  // A pending exploit is applied even after a failure, also if the trial waits before it retries.
  take_over_due_exploit(trial);
  if (policy.backoff.count() == 0 || ending_.drains() || standing_of(trial).is_held()) {
    requeue(trial, std::string{to_text(how)});
    return;
  }
  auto wait = policy.backoff;
  for (auto i = trial.failures.of(how); i > 1 && wait < policy.most_backoff; --i)
    wait *= 2;
  wait = std::min(wait, std::max(policy.backoff, policy.most_backoff));
  move(trial, status_event::retry);
  row(trial, std::string{to_text(how)});
  deadlines_.set(trial.id, due_kind::retry, now_ + wait);
}

/// Replaces the trial's state by that of its exploit's donor.
void machine::take_over_due_exploit(live_trial& trial) {
  if (!trial.exploits.due)
    return;
  auto due_exploit = std::move(*trial.exploits.due);
  trial.exploits.due.reset();
  if (head_.draws() >= on::undoes_exploits)
    trial.exploits.untried
        = untried_exploit{due_exploit.donor, due_exploit.from,
                          trial.exploits.untried ? trial.exploits.untried->before : trial.config};
  trial.config = due_exploit.config;
  trial.pause.config_before.reset();
  trial.checkpoints.push_back(due_exploit.from);
  trial.high_water = trial.judged = trial.pause.at = 0;
  ++trial.lineage;
  drop_aside(trial);
}

/// Undoes an exploit whose checkpoint cannot be restored: the trial goes on as itself.
void machine::undo_exploit(live_trial& trial) {
  const auto* from
      = trial.exploits.untried ? checkpoints_.find(trial.exploits.untried->from) : nullptr;
  if (!trial.exploits.untried || (from != nullptr && !from->bad))
    return;
  trial.config = trial.exploits.untried->before;
  // The scheduler hears of its configuration.
  trial.draft.is_redrawn = true;
  note_decision(trial, "exploit_undone",
                object{{"why", "the checkpoint of trial " + to_text(trial.exploits.untried->donor)
                                   + " cannot be restored: it goes on as itself"}});
  trial.exploits.untried.reset();
}

/// @param keeps_place True if the trial keeps its place in the queue: see `fact::added::again`.
void machine::requeue(live_trial& trial, std::string reason, bool keeps_place) {
  take_over_due_exploit(trial);
  if (standing_of(trial).status() != trial_status::pending)
    move(trial, status_event::retry);
  row(trial, std::move(reason));
  if (ending_.drains()) {
    drain_trial(trial);
    return;
  }
  tell_added(trial, keeps_place ? comeback::where_it_stood : comeback::last);
}

void machine::leave_queue(live_trial& trial) {
  census_.leave_queue(trial.id, standing_of(trial));
}

void machine::tell_added(live_trial& trial, comeback how) {
  census_.queue(trial.id, standing_of(trial));
  const bool is_last = how != comeback::where_it_stood || !head_.keeps_places();
  const bool from_scratch = how == comeback::from_scratch;
  tell_scheduler(fact::added{trial.id, trial.config, is_last, from_scratch});
  // A trial that came back is no longer pausing; if a client holds it, it must not run either.
  if (standing_of(trial).is_held())
    shelve(trial);
  else
    set_hold(trial, hold::none);
}

void machine::end_without_running(live_trial& trial, std::string reason, fact::end_kind kind) {
  if (trial.end)
    return give_up_end(trial, std::move(reason));
  if (standing_of(trial).awaits_lease())
    stop_waiting(trial);
  leave_queue(trial);
  deadlines_.clear(trial.id);
  if (leaves_end_open(trial, kind))
    open_the_end(trial, std::move(reason), kind);
  else
    end_trial(trial, status_event::end, std::move(reason), kind);
}

void machine::end_trial(live_trial& trial, status_event event, std::string reason,
                        fact::end_kind kind) {
  if (!move(trial, event))
    return;
  auto& known = entry(trial.id);
  set_hold(trial, hold::none);
  assert(!known.stands.is_queued() && !known.stands.awaits_lease());
  census_.forget_request(trial.id, known.stands);
  known.lineage = trial.lineage;
  known.high_water = trial.high_water;
  known.best_merit = trial.best.how;
  known.newest = newest_good(trial);
  census_.set_succeeded(known.stands, event == status_event::end && trial.best.has_number);
  if (event == status_event::end && trial.last.what != nullptr && !known.stands.has_succeeded())
    note_missing_objective(trial, reason);
  if (trial.lacks_checkpoint && checkpoints_.of(trial.id).empty())
    note_missing_checkpoint(trial, reason);
  row(trial, std::move(reason));
  if (!trial.end)
    tell_end(trial, kind);
  drop_aside(trial);
  auto id = trial.id;
  trials_.end(id);
  review(id);
}

/// Tells scheduler, searcher, stoppers and the books of runs that the trial has ended.
void machine::tell_end(live_trial& trial, fact::end_kind kind) {
  fact::ended told;
  told.trial = trial.id;
  told.how = kind;
  told.last = trial.last.what;
  told.judged = trial.last.is_judged;
  if (trial.last.what != nullptr) {
    told.scores = scores_of(*trial.last.what);
    told.time = time_of(*trial.last.what);
  }
  tell_scheduler(std::move(told));
  end_run(trial.id);
  samples_.end(trial.id);
  static constexpr outcome outcomes[]
      = {outcome::completed, outcome::stopped, outcome::failed, outcome::removed};
  tell_searcher(trial, outcomes[static_cast<std::size_t>(kind)]);
  for (auto& x : rules_.stoppers)
    x->forget(trial.id);
}

void machine::note_missing_objective(const live_trial& trial, std::string& reason) {
  const auto& metric = settings_.objectives.front().metric;
  auto what = "no report had a number for " + metric;
  // Warn once: what is true of one trial is mostly true of all.
  if (notices_.is_first(notice::no_objective))
    emit(cmd::warn{"trial " + to_text(trial.id) + ": " + what + "; the last said "
                   + shown_metric(*trial.last.what, metric) + "; it does not count as succeeded"});
  reason += (reason.empty() ? "" : "; ") + what;
}

void machine::note_missing_checkpoint(const live_trial& trial, std::string& reason) {
  auto what = std::string{"its checkpoint was wanted, but no report brought one"};
  // Warn once: what is true of one trial is mostly true of all.
  if (notices_.is_first(notice::no_checkpoint))
    emit(
        cmd::warn{"trial " + to_text(trial.id) + ": " + what + ": "
                  + (settings_.trainable.empty() ? "its trainable" : settings_.trainable)
                  + " cannot be asked to save, and has to hand checkpoints over with its reports "
                    "to be paused or copied: session.report(metrics, directory), or \"checkpoint\" "
                    "in a program's report"});
  reason += (reason.empty() ? "" : "; ") + what;
}

void machine::note_opening_failure(end_class how, const std::string& detail) {
  auto most = settings_.failures.max_consecutive_failures;
  if (most == 0 || opening_failures_.is_over() || census_.succeeded() > 0 || ending_.drains())
    return;
  auto text = std::string{to_text(how)} + ": " + detail.substr(0, detail.find('\n'));
  auto form = head_.draws() >= on::folds_failures ? failure_form(text) : text;
  if (opening_failures_.add(std::move(text), std::move(form)) >= most)
    begin_drain({experiment_status::failed, opening_failure_reason(most), true});
}

std::string machine::opening_failure_reason(std::uint32_t count) const {
  const auto since_resume = head_.epoch() > 1 && head_.draws() >= on::keeps_ends;
  const auto is_single = count == 1 && head_.draws() >= on::folds_failures;
  const auto in_a_row = opening_failures_.had_others() && head_.draws() >= on::blames_nodes;
  const auto number = std::to_string(count) + " trials ";
  return std::string{since_resume ? "since it was resumed, " : ""}
         + (is_single  ? "the first trial failed: "
            : in_a_row ? number + "in a row failed alike: "
                       : "the first " + number + "all failed alike: ")
         + opening_failures_.text();
}

} // namespace tune
