// Effects of verdicts on trials.
// SPDX-License-Identifier: BSD-3-Clause
#include "machine.hpp"

#include <utility>

namespace tune {

void machine::take(const on::decided& what) {
  for (const auto& answer : what.answers) {
    if (!awaits(answer))
      continue;
    const auto was_oldest = asked_.verdicts.answer(answer.cause);
    if (is_overtaken(answer))
      asked_.stall.close();
    else
      take_answer(answer);
    if (was_oldest)
      review_named();
  }
}

/// Whether the question was asked and this is its first answer.
bool machine::awaits(const decision& answer) const {
  return asked_.stall.at() == answer.cause || asked_.verdicts.is_open(answer.cause);
}

/// Whether the answer to a stall came too late: something happened since the question, and trials
/// may be able to go on by now, for instance because a node is back. If they still cannot, the
/// scheduler is asked again.
bool machine::is_overtaken(const decision& answer) const {
  return asked_.stall.at() == answer.cause && asked_.stall.has_news()
         && head_.draws() >= on::answers_stalls_anew;
}

void machine::take_answer(const decision& answer) {
  auto stall = asked_.stall.at() == answer.cause;
  fact::decided told{answer, {}};
  for (std::size_t i = 0; i < answer.actions.size(); ++i) {
    if (!act(answer.cause, answer.actions[i]))
      told.refused.push_back(static_cast<std::uint32_t>(i));
  }
  // Regardless of actions on others, the judged trial goes on unless it was told not to.
  if (auto waiting = asked_.verdicts.waiting(answer.cause)) {
    auto& trial = *live(*waiting);
    forget_verdict(*trial.attempt);
    set_intent(trial, intent::go_on);
    enact(trial);
  }
  auto helped = told.refused.size() < answer.actions.size();
  // An answer that may be older than the last news is not final: the question is asked again.
  auto has_news = asked_.stall.has_news() && head_.draws() >= on::judged_afresh;
  tell_scheduler(std::move(told));
  if (!stall)
    return;
  asked_.stall.close();
  // Later news may have resolved the stall: then a new choice is already being asked for.
  if (!helped && !has_news && !ending_.drains() && stands_still())
    finish(experiment_status::stalled, "trials are left, but nothing can run");
}

bool machine::act(sequence cause, const action& what) {
  auto* trial = live(what.trial);
  if (trial == nullptr || trial->end)
    return false;
  if (const auto* x = std::get_if<go_on>(&what.what)) {
    if (!trial->attempt || trial->attempt->reports.judging() != cause)
      return false;
    trial->attempt->go_on_until = x->until;
    return true;
  }
  if (const auto* x = std::get_if<annotate>(&what.what)) {
    note_decision(*trial, "annotate", x->notes);
    return true;
  }
  if (const auto* end = std::get_if<stop>(&what.what)) {
    stop_by(*trial, *end, what.reason);
    return true;
  }
  auto done = false;
  // The scheduler repeats its pause at each report until the trial has paused.
  auto again = std::holds_alternative<pause_trial>(what.what) && trial->attempt
               && trial->attempt->noted_waiting && trial->attempt->next == intent::pause;
  // Noted even if the attempt is lost already, or will be before it has saved.
  if (std::holds_alternative<pause_trial>(what.what) && trial->shown == cause
      && settings_.saves != save_ability::none)
    trial->pause.at = trial->judged;
  if (std::holds_alternative<pause_trial>(what.what) || std::holds_alternative<save>(what.what)) {
    done = want_checkpoint(*trial, std::holds_alternative<pause_trial>(what.what));
    if (done && trial->attempt->reports.judging() != cause)
      enact(*trial);
  } else if (std::holds_alternative<allow>(what.what)) {
    done = allow_on(*trial);
  } else if (const auto* due_exploit = std::get_if<exploit>(&what.what)) {
    done = exploit_into(*trial, *due_exploit);
    if (!done)
      note_decision(*trial, "exploit_refused", what.reason);
  } else if (const auto* changed = std::get_if<reconfigure>(&what.what)) {
    reconfigure_by(*trial, *changed);
    done = true;
  } else if (const auto* wants = std::get_if<set_resources>(&what.what)) {
    done = !standing_of(*trial).awaits_lease()
           && (!trial->attempt || trial->attempt->next == intent::pause);
    if (done) {
      trial->place.request = wants->request;
      trial->place.request.policy = settings_.request.policy;
      trial->place.was_refused = false;
    }
  }
  if (done && !again)
    note_decision(*trial, name_of(what.what), what.reason);
  return done;
}

/// Whether the stop of the trial is decided, and noted: it waits for its attempt to end.
bool machine::stops_already(const live_trial& trial) const {
  return head_.draws() >= on::notes_stops_once && trial.attempt
         && trial.attempt->next == intent::stop;
}

void machine::stop_by(live_trial& trial, const stop& what, const object& reason) {
  if (stops_already(trial))
    return;
  note_decision(trial, "stop", reason);
  const auto* why = reason.find("why");
  decide_stop(trial, why != nullptr ? to_text(*why) : "stopped by the scheduler",
              what.completes ? fact::end_kind::completed : fact::end_kind::stopped);
}

void machine::reconfigure_by(live_trial& trial, const reconfigure& what) {
  if (trial.attempt)
    trial.pause.config_before = trial.attempt->config;
  else if (trial.pause.config_before == nullptr)
    trial.pause.config_before = trial.config;
  trial.config = what.config;
  trial.draft.kind.reset();
  row(trial, "reconfigured");
}

bool machine::allow_on(live_trial& trial, std::string reason) {
  if (standing_of(trial).status() != trial_status::paused || standing_of(trial).is_held())
    return false;
  move(trial, status_event::unpause);
  trial.pause.at = 0;
  census_.queue(trial.id, standing_of(trial));
  tell_scheduler(fact::unpaused{trial.id});
  row(trial, std::move(reason));
  return true;
}

void machine::forget_verdict(open_attempt& attempt) {
  if (attempt.reports.judging() == 0)
    return;
  asked_.verdicts.stop_waiting(attempt.reports.judging());
  attempt.reports.end_judging();
}

bool machine::exploit_into(live_trial& trial, const exploit& what) {
  const auto* known = checkpoints_.find(what.from);
  if (what.config == nullptr || known == nullptr || known->bad || known->doomed
      || !known->node.empty() || standing_of(trial).awaits_lease())
    return false;
  borrow(trial.id, what.from);
  trial.exploits.due = pending_exploit{what.donor, what.from, what.config};
  if (trial.attempt) {
    set_intent(trial, intent::exploit);
    enact(trial);
    return true;
  }
  // The trial is paused or pending: it takes the donor's place at once.
  if (backs_off(trial)) {
    deadlines_.clear(trial.id);
  } else {
    leave_queue(trial);
  }
  requeue(trial, "exploits " + to_text(what.donor));
  return true;
}

void machine::set_intent(live_trial& trial, intent what) {
  auto& attempt = *trial.attempt;
  // The scheduler that asks for a pause also resumes the trial later.
  if (what == intent::pause)
    attempt.leaves.pauses = false;
  if (what > attempt.next)
    attempt.next = what;
}

void machine::enact(live_trial& trial) {
  auto& attempt = *trial.attempt;
  // The trial trains on while its checkpoint is made safe; all other intents wait for that.
  auto trains_on = attempt.next == intent::go_on && !attempt.save.ends;
  if (attempt.at == phase::stopping || (attempt.at == phase::saving && !trains_on))
    return;
  switch (attempt.next) {
    case intent::nothing:
      return;
    case intent::stop:
      if (saves_at_end(trial))
        begin_save(trial, true);
      else
        halt(trial, halt_mode::stop, trial.must_end.why);
      return;
    case intent::exploit:
      halt(trial, halt_mode::release, "exploit");
      return;
    case intent::pause:
      if (attempt.at_boundary())
        begin_pause(trial);
      return;
    case intent::save:
      // The verdict decides whether the trial goes on after the save.
      if (attempt.at_boundary() && attempt.reports.judging() == 0) {
        attempt.next = intent::nothing;
        if (attempt.has_checkpoint() || !obeys(attempt))
          proceed(trial, attempt.go_on_until);
        else
          begin_save(trial, false);
      }
      return;
    case intent::go_on:
      if (attempt.at_boundary())
        proceed(trial, attempt.go_on_until);
      return;
  }
}

void machine::proceed(live_trial& trial, std::uint64_t until) {
  auto& attempt = *trial.attempt;
  attempt.reports.allow(until);
  if (pauses_here(trial))
    return;
  if (attempt.next == intent::save && attempt.reports.judging() == 0) {
    enact(trial);
    return;
  }
  if (attempt.next <= intent::go_on)
    attempt.next = intent::nothing;
  attempt.reports.answer();
  emit(cmd::proceed{trial.id, attempt.id, attempt.reports.number(), attempt.reports.credit()});
}

void machine::halt(live_trial& trial, halt_mode how, std::string why) {
  auto& attempt = *trial.attempt;
  if (attempt.at == phase::stopping && how != halt_mode::kill)
    return;
  attempt.at = phase::stopping;
  // A computing attempt may still deliver its report; one that waits for an answer has done so.
  attempt.closed = attempt.at_boundary();
  forget_verdict(attempt);
  deadlines_.clear(trial.id);
  if (how != halt_mode::kill)
    bound_the_end(trial);
  else if (settings_.kill_time.count() > 0)
    deadlines_.set(trial.id, due_kind::kill_time, now_ + settings_.kill_time);
  auto exports = how == halt_mode::stop && exports_at_end(trial);
  attempt.ending.is_to_export = attempt.ending.is_to_export || exports;
  emit(cmd::halt{trial.id, attempt.id, how, std::move(why), exports}, seq_);
}

/// Sets a deadline for an attempt that was told to end.
void machine::bound_the_end(live_trial& trial) {
  auto most = settings_.stop_grace;
  if (most.count() == 0)
    return;
  if (exports_at_end(trial))
    most += settings_.export_time;
  deadlines_.clear(trial.id);
  deadlines_.set(trial.id, due_kind::stop_grace, now_ + most);
}

/// Limits the time for the last checkpoint of a trial that is to stop, since somebody waits for its
/// end.
void machine::hurry(live_trial& trial) {
  if ((trial.attempt->at == phase::saving || trial.end) && !is_in_a_hurry(trial))
    bound_the_end(trial);
}

bool machine::is_in_a_hurry(const live_trial& trial) const {
  return deadlines_.has(trial.id, due_kind::stop_grace);
}

void machine::decide_stop(live_trial& trial, std::string why, fact::end_kind kind) {
  if (!trial.attempt) {
    end_without_running(trial, std::move(why), kind);
    return;
  }
  if (trial.attempt->next == intent::stop)
    return;
  trial.must_end.why = std::move(why);
  trial.must_end.kind = kind;
  trial.exploits.due.reset();
  set_intent(trial, intent::stop);
  enact(trial);
}

} // namespace tune
