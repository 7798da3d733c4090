// Supply of trials, and the choice of those that run next.
// SPDX-License-Identifier: BSD-3-Clause
#include "machine.hpp"

#include "tune/core/experiment/searcher_wait.hpp"
#include "tune/core/search/missing_samples.hpp"
#include "tune/core/search/none/none.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace tune {

namespace {

std::string counted(std::uint64_t n, const char* noun) {
  return std::to_string(n) + ' ' + noun + (n == 1 ? "" : "s");
}

} // namespace

void machine::settle() {
  // Time trained before this head opened does not end the run here; the clock does.
  if (!ending_.drains() && training_.is_new() && has_trained_enough())
    leave_off_in_time(false);
  if (ending_.drains()) {
    if (census_.running() == 0 && !open_ends_.is_giving_up())
      finish(ending_.how().status, ending_.how().why);
    return;
  }
  if (clients_.gathering())
    return;
  place_open_ends();
  if (clients_.narrowed()) {
    settle_narrowed();
    if (!ending_.is_finished() && stands_still())
      tell_of_rest();
    return;
  }
  watch_places();
  if (is_sketch_due())
    emit(cmd::log{on::suggest_asked{dialogue_.next(), 1, drafting::quick}});
  else if (auto id = next_draft())
    emit(cmd::log{on::suggest_asked{dialogue_.next(), 1, drafting::none, id}});
  else if (wants_suggestions())
    emit(cmd::log{on::suggest_asked{dialogue_.next(), suggestions_wanted(), drafts_wanted()}});
  if (auto count = choices_wanted(); count > 0) {
    asked_.choice.ask(seq_, count);
    emit(cmd::choose{seq_, count});
  }
  const auto is_empty = trials_.live().empty();
  if (is_empty && dialogue_.is_done()) {
    finish_as_complete();
  } else if (is_empty && dialogue_.waits() && no_search::is_idle(rules_.searcher)) {
    tell_of_rest();
  } else if (is_empty && dialogue_.waits()) {
    wait_for_searcher();
  } else if (stands_still() && (clients_.suspended() || census_.held() > 0)) {
    tell_of_rest();
  } else if (stands_still() && !asked_.stall.is_open()) {
    asked_.stall.ask(seq_);
    emit(cmd::resolve_stall{seq_});
  }
}

/// Waits: the searcher has nothing and no trial is left, but time may bring something.
void machine::wait_for_searcher() {
  if (idle_.again_at())
    return;
  auto patience
      = head_.draws() >= on::judged_afresh ? settings_.stall_timeout : std::chrono::seconds{0};
  switch (idle_.wait(now_, patience)) {
    case idle_wait::step::waits:
      return;
    case idle_wait::step::waits_long:
      emit(cmd::warn{searcher_wait_text(patience)});
      return;
    case idle_wait::step::over:
      break;
  }
  auto waited = std::chrono::ceil<std::chrono::seconds>(patience).count();
  finish(experiment_status::stalled,
         "the searcher waits for results, but no trial is left to give any"
             + (waited > 0 ? "; it was asked again for " + std::to_string(waited) + " s"
                           : std::string{}));
}

/// Withdraws or revives trials that were drawn ahead, after the number of samples has changed.
void machine::fit_samples() {
  auto limit = settings_.sample_limit;
  if (head_.draws() < on::judged_afresh)
    return;
  while (samples_.withdrawn() > 0 && (limit == 0 || samples_.standing() < limit))
    revive_withdrawn();
  if (limit == 0)
    return;
  auto before = samples_.withdrawn();
  const auto& rule = settings_.repeats;
  // With several runs per configuration, users ask for configurations, not for trials.
  const auto is_one = limit == 1 && head_.draws() >= on::says_lowest;
  auto wanted = rule.runs == 1 ? (is_one ? "1 sample is wanted"
                                         : std::to_string(limit) + " samples are wanted")
                               : counted(limit / rule.runs, "configuration")
                                     + (limit == rule.runs ? " is wanted, " : " are wanted, ")
                                     + std::to_string(rule.runs) + " runs of each";
  auto why = std::string{withdrawn_reason} + wanted;
  while (samples_.standing() > limit && withdraw_newest(why)) {}
  if (auto count = samples_.withdrawn() - before; count > 0)
    emit(cmd::warn{counted(count, rule.runs == 1 ? "configuration" : "run") + " that had not begun "
                   + (count == 1 ? "is" : "are") + " withdrawn: " + wanted});
  if (samples_.standing() > limit)
    emit(cmd::warn{too_many_text(limit)});
}

/// Says that more samples have begun than are wanted now.
std::string machine::too_many_text(std::uint64_t limit) const {
  const auto wanted = settings_.repeats.runs == 1
                          ? " samples have begun, more than the " + std::to_string(limit)
                                + (limit == 1 ? " that is wanted now" : " that are wanted now")
                          : " runs have begun, more than the " + std::to_string(limit)
                                + " of the configurations that are wanted now";
  return std::to_string(samples_.standing()) + wanted
         + (trials_.live().empty() ? "; all have ended" : ": those that have not ended go on");
}

/// @returns false if no trial is left that the searcher drew and that never began.
bool machine::withdraw_newest(const std::string& why) {
  for (auto i = trials_.live().rbegin(); i != trials_.live().rend(); ++i) {
    auto& trial = *live(*i);
    auto is_fresh = !trial.attempt && !trial.place.was_placed && trial.failures.count() == 0
                    && trial.lineage == 1 && trial.last.what == nullptr && trial.suggested;
    if (!is_fresh || standing_of(trial).status() != trial_status::pending)
      continue;
    // Requests of the last head are unknown to the cluster.
    census_.stop_waiting(standing_of(trial));
    samples_.withdraw(trial.id, {trial.config, trial.origin, trial.draft.kind.has_value()});
    end_without_running(trial, why, fact::end_kind::removed);
    return true;
  }
  return false;
}

/// Revives the first withdrawn trial.
void machine::revive_withdrawn() {
  auto [id, what] = samples_.revive_first();
  auto& trial = trials_.revive(id);
  trial.config = std::move(what.config);
  trial.origin = std::move(what.origin);
  trial.born = seq_;
  trial.place.request = settings_.request;
  trial.suggested = true;
  if (what.draft)
    trial.draft.kind = drafting::quick;
  runs_.revive(trial.id);
  move(trial, status_event::revive);
  row(trial);
  introduce(trial);
  tell_added(trial);
}

bool machine::wants_suggestions() const {
  return !clients_.narrowed() && dialogue_.may_be_asked() && suggestions_wanted() > 0;
}

/// Number of suggestions that `max_pending` leaves room for.
std::uint64_t machine::room_for_suggestions() const {
  return samples_.pending().room(settings_.max_pending, settings_.in_batches);
}

bool machine::asks_in_batches() const {
  return settings_.in_batches && settings_.max_pending > 0;
}

/// Trials that are likely to begin before another one that the searcher is asked for. Those that
/// the scheduler lets wait do not count: they may wait for results of others.
std::uint64_t machine::supply() const {
  auto all_wait = asked_.choice.has_nobody() && head_.draws() >= on::heeds_clients;
  return census_.awaiting_lease() + (all_wait ? 0 : census_.queued());
}

std::uint32_t machine::suggestions_wanted() const {
  // Suggestions are drawn ahead in large portions: refill when half of the supply is used up.
  auto waiting = supply();
  auto room = room_for_suggestions();
  auto is_batch = asks_in_batches();
  auto ahead = is_batch ? waiting + room : std::max<std::uint64_t>(rules_.searcher.ahead, 1);
  if (waiting >= ahead || (!is_batch && ahead > 2 && waiting > ahead / 2))
    return 0;
  auto count = std::min(ahead - waiting, room);
  if (settings_.max_trials > 0)
    count = std::min(count,
                     settings_.max_trials - std::min(settings_.max_trials, samples_.suggested()));
  return static_cast<std::uint32_t>(
      std::min<std::uint64_t>(count, std::numeric_limits<std::uint32_t>::max()));
}

/// What keeps anything from running, for people: a pause by clients, or trials whose end brings the
/// next suggestions; empty if something may begin.
std::string machine::waits_for() const {
  const auto rests = stands_still() || (clients_.suspended() && trials_.live().empty());
  if (!ending_.drains() && rests && (clients_.suspended() || census_.held() > 0))
    return rest_text();
  if (const auto retries = deadlines_.count(due_kind::retry); retries > 0 && waits_for_retries())
    return std::to_string(retries)
           + (retries == 1 ? " trial that failed waits for its [failure] backoff to pass"
                           : " trials that failed wait for their [failure] backoff to pass");
  if (dialogue_.is_open() || dialogue_.is_done() || ending_.drains() || clients_.suspended()
      || clients_.narrowed() || samples_.pending().empty() || supply() > 0
      || room_for_suggestions() > 0)
    return {};
  auto bound = "[search] max_pending = " + std::to_string(settings_.max_pending);
  auto when = settings_.in_batches
                  ? ", batch: the next are asked for when the rest of this batch has ended: "
                  : ": the next is asked for when one of these has ended: ";
  return bound + when + samples_.pending().names();
}

/// Whether nothing runs, or is about to, until a trial that failed is tried again.
bool machine::waits_for_retries() const {
  return !ending_.drains() && census_.busy() == 0 && census_.queued() == 0
         && asked_.verdicts.all_waiting().empty() && !dialogue_.is_open()
         && !asked_.choice.is_open() && !wants_suggestions();
}

std::uint32_t machine::choices_wanted() const {
  if (asked_.choice.is_open() || asked_.choice.has_nobody() || clients_.suspended())
    return 0;
  // Ask for the next portion when half of the last has begun, as for suggestions.
  if (rules_.scheduler.choose_ahead > 2
      && census_.awaiting_lease() > rules_.scheduler.choose_ahead / 2)
    return 0;
  auto paused = census_.count(trial_status::paused) - census_.held_paused();
  auto count = std::min<std::uint64_t>(census_.queued() + paused, rules_.scheduler.choose_ahead);
  count -= std::min(count, census_.awaiting_lease());
  if (settings_.max_concurrent > 0) {
    auto busy = census_.busy();
    count = std::min(count, settings_.max_concurrent - std::min(settings_.max_concurrent, busy));
  }
  return static_cast<std::uint32_t>(count);
}

bool machine::stands_still() const {
  return !trials_.live().empty() && census_.running() == 0
         && (census_.awaiting_lease() == 0 || clients_.suspended())
         && deadlines_.count(due_kind::retry) == 0 && asked_.verdicts.all_waiting().empty()
         && !dialogue_.is_open() && !asked_.choice.is_open() && !wants_suggestions();
}

/// A head that found nothing left to run leaves the experiment's early end as it was.
void machine::finish_as_complete() {
  if (ending_.last_early() && head_.draws() >= on::keeps_ends)
    finish(ending_.last_early()->status, ending_.last_early()->why);
  else
    finish(experiment_status::done, dialogue_.why_ended());
}

void machine::finish(experiment_status status, std::string why) {
  ending_.finish();
  emit(cmd::finish{status, std::move(why)}, seq_);
}

void machine::take(const on::suggest_asked& what) {
  dialogue_.put({what.ask, what.count, seq_, what.drafts, what.trial});
  emit(cmd::ask_searcher{*dialogue_.open()});
}

void machine::take(const on::suggested& what) {
  auto question = dialogue_.close();
  if (question.trial)
    return replace_draft(*question.trial, what, question.at);
  suggested_fact told{what.ask, what.what, trials_.next(), question.at};
  emit(cmd::tell_searcher{{seq_, std::move(told)}});
  if (const auto* list = std::get_if<std::vector<suggestion>>(&what.what)) {
    for (const auto& x : *list) {
      // Trials that confirm are not samples of the search.
      const auto is_sample = !settings_.repeats.is_on() || !is_confirming(x.origin);
      const auto id = trials_.next();
      if (auto* trial = add_trial(x)) {
        trial->suggested = is_sample;
        if (x.draft)
          trial->draft.kind = question.drafts;
        trial->draft.drawn_at = question.at;
        trial->draft.place_free_since = offer_.free().since();
      }
      if (is_sample)
        samples_.add(id);
    }
    dialogue_.note_answer(!list->empty());
  } else if (std::holds_alternative<nothing_yet>(what.what)) {
    dialogue_.note_answer(false);
  } else {
    dialogue_.end();
    const auto& why = std::get<exhausted>(what.what).why;
    if (why.starts_with(samples_missing))
      emit(cmd::warn{why});
    if (head_.draws() >= on::bounds_model_waits && !why.ends_with(all_made))
      dialogue_.set_end(why);
  }
  if (has_all_samples())
    dialogue_.end();
}

bool machine::has_all_samples() const {
  return settings_.max_trials > 0 && samples_.suggested() >= settings_.max_trials;
}

/// @returns null if the trial has ended at once, since all trials are to end.
live_trial* machine::add_trial(const suggestion& what) {
  idle_.end();
  ending_.forget_last();
  auto& trial = trials_.add();
  trial.config = what.config;
  trial.origin = what.origin;
  trial.born = seq_;
  trial.place.request = settings_.request;
  census_.add(standing_of(trial));
  if (settings_.repeats.is_on()) {
    trial.confirms = is_confirming(trial.origin);
    runs_.add(trial.id, *trial.config, trial.origin);
  }
  row(trial);
  if (ending_.drains()) {
    const auto id = trial.id;
    drain_trial(trial);
    return live(id);
  }
  census_.queue(trial.id, standing_of(trial));
  tell_scheduler(fact::added{trial.id, trial.config, false});
  return &trial;
}

/// Adds the runs of a configuration from a client, numbered unless the client did. @pre Trials are
/// not all to end. @returns the first.
live_trial& machine::add_runs(const config_ptr& config) {
  const auto& rule = settings_.repeats;
  if (!rule.is_on() || config->find(rule.parameter) != nullptr) {
    auto& trial = *add_trial({config, std::string{client_origin}});
    introduce(trial);
    return trial;
  }
  auto first = trials_.next();
  for (std::uint64_t i = 0; i < rule.runs; ++i) {
    auto numbered = *config;
    numbered.set(rule.parameter, runs_.next_number(*config));
    auto& trial = *add_trial(
        {std::make_shared<const object>(std::move(numbered)), std::string{client_origin}});
    introduce(trial);
    if (trial.id != first)
      ask_for(trial);
  }
  return *live(first);
}

/// Tells a searcher that repeats configurations of a trial that it has not made, or that runs
/// again, before the trial reports: to number others, and to wait for it before confirming the
/// best.
void machine::introduce(const live_trial& trial) {
  if (!settings_.repeats.is_on() || ending_.drains())
    return;
  dialogue_.hear();
  if (settings_.repeats.confirm > 0)
    dialogue_.reopen(has_all_samples());
  observation what;
  what.trial = trial.id;
  what.config = trial.config;
  what.lineage = trial.lineage;
  emit(cmd::tell_searcher{{seq_, std::move(what)}});
}

void machine::take(const on::chosen& what) {
  asked_.choice.close();
  fact::chosen told{what.what, {}};
  for (auto id : what.what.start) {
    if (ending_.drains() || !start(id))
      told.refused.push_back(id);
  }
  auto all_refused = told.refused.size() == what.what.start.size();
  asked_.choice.note_answer(all_refused);
  // Trials that clients hold may have been named first: the scheduler is asked again for each of
  // them.
  auto tries_again = !what.what.start.empty() && asked_.choice.refused() <= census_.held();
  // An answer that may be older than the last news is not final.
  auto nobody = all_refused && !tries_again && !asked_.choice.has_news();
  tell_scheduler(std::move(told));
  if (nobody)
    asked_.choice.note_nobody();
}

bool machine::start(trial_id id) {
  auto* trial = live(id);
  if (trial == nullptr || trial->end || standing_of(*trial).awaits_lease() || backs_off(*trial)
      || standing_of(*trial).is_held()
      || (clients_.narrowed() && !standing_of(*trial).is_asked_for()))
    return false;
  auto status = entry(id).stands.status();
  if (status == trial_status::paused) {
    move(*trial, status_event::unpause);
    trial->pause.at = 0;
    tell_scheduler(fact::unpaused{id});
    row(*trial, "unpaused");
  } else if (status == trial_status::pending) {
    leave_queue(*trial);
  } else {
    return false;
  }
  census_.await_lease(standing_of(*trial));
  place(*trial);
  return true;
}

} // namespace tune
