// Orders of clients for a running experiment.
//
// An order that would change nothing never enters the log: `weigh` judges it beforehand, and only
// accepted orders are posted. The scheduler is told that trials held by clients are paused,
// whatever their status, so that it names others. While a client holds a trial, or everything, an
// idle experiment is not a stall.
// SPDX-License-Identifier: BSD-3-Clause
#include "machine.hpp"

#include "tune/core/search/none/none.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace tune {

namespace {

using kind = order_verdict::kind;

order_verdict no_such_trial(trial_id id) {
  return {kind::unknown, "there is no such trial", id};
}

} // namespace

std::string_view to_text(order_verdict::kind x) {
  static constexpr std::array<std::string_view, 4> names{"taken", "needless", "unknown", "refused"};
  return names[static_cast<std::size_t>(x)];
}

order_verdict machine::weigh(const event_body& what) const {
  if (ending_.is_finished())
    return weigh_late(what);
  if (const auto* x = std::get_if<on::add_asked>(&what))
    return weigh_add(*x);
  if (const auto* x = std::get_if<on::retry_asked>(&what))
    return weigh_retry(x->trial);
  if (const auto* x = std::get_if<on::stop_asked>(&what))
    return x->trial ? weigh_stop(*x->trial) : weigh_all(what);
  if (const auto* x = std::get_if<on::pause_asked>(&what))
    return x->trial ? weigh_pause(*x->trial) : weigh_all(what);
  if (const auto* x = std::get_if<on::unpause_asked>(&what))
    return x->trial ? weigh_unpause(*x->trial) : weigh_all(what);
  return {kind::refused, "clients cannot ask for that", std::nullopt};
}

order_verdict machine::weigh_late(const event_body& what) const {
  std::optional<trial_id> trial;
  if (const auto* x = std::get_if<on::stop_asked>(&what))
    trial = x->trial;
  else if (const auto* y = std::get_if<on::pause_asked>(&what))
    trial = y->trial;
  else if (const auto* z = std::get_if<on::unpause_asked>(&what))
    trial = z->trial;
  else if (const auto* again = std::get_if<on::retry_asked>(&what))
    trial = again->trial;
  // The end of this very trial may have ended the experiment.
  if (std::holds_alternative<on::stop_asked>(what) && trial && live(*trial) == nullptr)
    return weigh_stop(*trial);
  return {kind::refused, "the experiment is over", trial};
}

order_verdict machine::weigh_all(const event_body& what) const {
  auto says = [](kind how, const char* text) { return order_verdict{how, text, std::nullopt}; };
  if (std::holds_alternative<on::stop_asked>(what)) {
    if (!ending_.drains())
      return says(kind::taken, "all trials are told to end");
    return ending_.how().resumable ? says(kind::refused, "the experiment is leaving off already")
                                   : says(kind::needless, "the experiment is ending already");
  }
  if (ending_.drains())
    return says(kind::refused, "the experiment is leaving off");
  auto wants_pause = std::holds_alternative<on::pause_asked>(what);
  if (wants_pause == clients_.suspended())
    return says(kind::needless, wants_pause ? "it is paused already" : "it is not paused");
  return says(kind::taken, wants_pause ? "no further trial is started; those that run go on"
                                       : "trials are started again");
}

order_verdict machine::weigh_stop(trial_id id) const {
  const auto* trial = live(id);
  if (!trials_.knows(id))
    return no_such_trial(id);
  if (trial == nullptr)
    return {kind::needless, "it has ended already", id};
  if (!trial->attempt && (trial->end || !leaves_end_open(*trial, fact::end_kind::completed)))
    return {kind::taken, "it has ended", id};
  if (!trial->attempt)
    return {kind::taken, "it ends once what its end brings is made from its last checkpoint", id};
  const auto& attempt = *trial->attempt;
  auto may_take_long = (attempt.at == phase::saving || trial->end) && !is_in_a_hurry(*trial);
  if (attempt.next == intent::stop && !may_take_long)
    return {kind::needless, "it is ending already", id};
  return {kind::taken, "it is told to end", id};
}

order_verdict machine::weigh_pause(trial_id id) const {
  const auto* trial = live(id);
  if (!trials_.knows(id))
    return no_such_trial(id);
  if (trial == nullptr)
    return {kind::refused, "it has ended", id};
  if (ending_.drains())
    return {kind::refused, "the experiment is leaving off", id};
  if (trial->end)
    return {kind::refused, "it is ending", id};
  if (standing_of(*trial).is_held())
    return {kind::needless, trial->attempt ? "it is pausing already" : "it is paused already", id};
  if (!trial->attempt)
    return {kind::taken, "it is paused", id};
  const auto& attempt = *trial->attempt;
  if (settings_.saves == save_ability::none)
    return {kind::refused, "its trainable cannot save; it can be stopped, but not paused", id};
  if (attempt.next == intent::stop || attempt.killed_for)
    return {kind::refused, "it is ending", id};
  return {kind::taken,
          obeys(attempt) ? "it pauses as soon as it has saved"
                         : "it pauses at its next report that brings a checkpoint",
          id};
}

order_verdict machine::weigh_unpause(trial_id id) const {
  const auto* trial = live(id);
  if (!trials_.knows(id))
    return no_such_trial(id);
  if (trial == nullptr)
    return {kind::refused, "it has ended", id};
  if (ending_.drains())
    return {kind::refused, "the experiment is leaving off", id};
  if (trial->end)
    return {kind::needless, "it is ending", id};
  if (standing_of(*trial).is_held() && trial->attempt)
    return {kind::taken, "it goes on as soon as it has paused", id};
  if (standing_of(*trial).is_held() || entry_of(id).stands.status() == trial_status::paused)
    return {kind::taken, "it may run again", id};
  const auto pauses = trial->attempt && standing_of(*trial).held() == hold::wakes
                      && trial->attempt->next == intent::pause && !trial->attempt->noted_waiting;
  if (pauses)
    return {kind::needless, "it goes on at its turn already, once it has paused", id};
  return {kind::needless, trial->attempt ? "it runs already" : "it waits for its turn already", id};
}

order_verdict machine::weigh_add(const on::add_asked& what) const {
  if (ending_.drains())
    return {kind::refused, "the experiment is leaving off", std::nullopt};
  if (auto known = clients_.added_by(what.key))
    return {kind::needless, "a trial was added by this key before", *known};
  if (what.config == nullptr)
    return {kind::refused, "there is no configuration", std::nullopt};
  const auto& rule = settings_.repeats;
  if (rule.is_on() && what.config->find(rule.parameter) != nullptr)
    return {kind::taken,
            "it waits for its turn; it names its " + rule.parameter
                + ", and so runs once and is judged by that run",
            trials_.next()};
  return {kind::taken, "it waits for its turn", trials_.next()};
}

order_verdict machine::weigh_retry(trial_id id) const {
  if (!trials_.knows(id))
    return no_such_trial(id);
  if (ending_.drains())
    return {kind::refused, "the experiment is leaving off", id};
  if (!is_final(entry_of(id).stands.status()))
    return {kind::refused, "it has not ended", id};
  return {kind::taken, "it waits for its turn again", id};
}

void machine::take(const on::stop_asked& what) {
  if (!what.trial) {
    begin_drain({experiment_status::stopped, what.why, false});
    return;
  }
  if (auto* trial = live(*what.trial)) {
    auto runs = trial->attempt.has_value();
    // A result that it has reached counts like that of a running trial.
    auto whole = head_.draws() >= on::ends_whole && trial->last.what != nullptr;
    auto how = runs || whole ? fact::end_kind::completed : fact::end_kind::removed;
    decide_stop(*trial, what.why, how);
    if (runs)
      hurry(*trial);
  }
}

void machine::take(const on::pause_asked& what) {
  if (!what.trial) {
    suspend();
    return;
  }
  auto* trial = live(*what.trial);
  if (trial == nullptr || standing_of(*trial).is_held())
    return;
  set_hold(*trial, hold::held);
  if (trial->attempt) {
    set_intent(*trial, intent::pause);
    enact(*trial);
  } else if (standing_of(*trial).status() == trial_status::pending) {
    hold_pending(*trial);
  }
  const auto still_runs = trial->attempt && head_.draws() >= on::blames_nodes;
  row(*trial, still_runs ? "asked to pause" : "paused by a client");
}

void machine::take(const on::unpause_asked& what) {
  if (!what.trial) {
    unsuspend();
    return;
  }
  auto* trial = live(*what.trial);
  if (trial == nullptr)
    return;
  if (trial->attempt) {
    if (standing_of(*trial).is_held())
      let_wake(*trial);
    return;
  }
  auto waits
      = standing_of(*trial).is_held() && standing_of(*trial).status() == trial_status::pending;
  set_hold(*trial, hold::none);
  if (waits) {
    census_.queue(trial->id, standing_of(*trial));
    ask_for(*trial);
    tell_scheduler(fact::unpaused{trial->id});
    row(*trial, "unpaused");
  } else {
    ask_for(*trial);
    static_cast<void>(allow_on(*trial));
  }
}

void machine::take(const on::add_asked& what) {
  auto& trial = add_runs(what.config);
  clients_.note_added(what.key, trial.id);
  ask_for(trial);
}

void machine::take(const on::retry_asked& what) {
  auto& known = entry(what.trial);
  if (!is_final(known.stands.status()))
    return;
  samples_.forget(what.trial);
  auto& trial = trials_.revive(what.trial);
  trial.config = what.config;
  trial.origin = what.origin;
  trial.born = seq_;
  trial.place.request = settings_.request;
  trial.best.how = known.best_merit;
  trial.best.has_number = known.stands.has_succeeded() || known.best_merit.has_value();
  trial.lineage = known.lineage + (what.from_scratch ? 1 : 0);
  if (what.from_scratch) {
    known.last_given_up = checkpoints_.last();
  } else {
    trial.high_water = trial.judged = known.high_water;
    trial.checkpoints = checkpoints_.of(trial.id);
    if (head_.draws() >= on::forgets_lineages)
      std::erase_if(trial.checkpoints, [&](checkpoint_id x) { return x <= known.last_given_up; });
    // The newest checkpoint may belong to another trial that this one was cloned from.
    std::erase(trial.checkpoints, known.newest);
    const auto* newest = checkpoints_.find(known.newest);
    if (newest != nullptr && !newest->doomed)
      trial.checkpoints.push_back(known.newest);
  }
  census_.set_succeeded(known.stands, false);
  trial.confirms = settings_.repeats.is_on() && is_confirming(trial.origin);
  runs_.revive(trial.id);
  if (newest_good(trial) && checkpoints_.at(newest_good(trial)).trial != trial.id)
    borrow(trial.id, newest_good(trial));
  move(trial, status_event::revive);
  row(trial, what.from_scratch ? "again, from the beginning" : "again");
  introduce(trial);
  ask_for(trial);
  tell_added(trial, what.from_scratch ? comeback::from_scratch : comeback::last);
}

void machine::take(const on::gathered& what) {
  clients_.gathered(what.only);
  if (!what.only)
    return;
  // The pending question to the scheduler is void.
  asked_.choice.close();
  for (auto id : trials_.live()) {
    auto& trial = *live(id);
    if (!standing_of(trial).awaits_lease() || standing_of(trial).is_asked_for())
      continue;
    // The last head had chosen this trial.
    stop_waiting(trial);
    if (trial.end)
      open_ends_.add(id);
    else
      tell_added(trial);
  }
}

/// The running trial still pauses, but only until it is its turn. That is how it makes room for
/// others, too.
void machine::let_wake(live_trial& trial) {
  set_hold(trial, hold::wakes);
  if (head_.draws() >= on::blames_nodes)
    row(trial, trial.attempt->noted_waiting ? "" : "asked to pause and wait for its turn");
}

void machine::set_hold(live_trial& trial, hold to) {
  if (census_.set_hold(standing_of(trial), to))
    clients_.forget_rest();
}

/// Tells the scheduler that the trial is paused.
void machine::shelve(live_trial& trial) {
  leave_queue(trial);
  tell_scheduler(fact::paused{trial.id, newest_good(trial)});
}

void machine::hold_pending(live_trial& trial) {
  if (backs_off(trial)) {
    deadlines_.clear(trial.id);
    tell_added(trial);
    return;
  }
  if (standing_of(trial).awaits_lease())
    stop_waiting(trial);
  shelve(trial);
}

/// Asks the cluster for the trial's resources, unless nothing may be started now.
void machine::place(live_trial& trial) {
  trial.place.number = ++places_;
  trial.place.wished_at = now_;
  if (!clients_.suspended())
    emit(place_of(trial), trial.place.was_placed ? 0 : trial.born);
}

/// All trials that wait for resources, in the order in which these were asked for.
std::vector<trial_id> machine::awaiting() const {
  std::map<std::uint64_t, trial_id> result;
  for (auto id : trials_.live()) {
    if (const auto& trial = *live(id); standing_of(trial).awaits_lease())
      result.emplace(trial.place.number, id);
  }
  std::vector<trial_id> in_order;
  in_order.reserve(result.size());
  for (const auto& [number, id] : result)
    in_order.push_back(id);
  return in_order;
}

cmd::place machine::place_of(const live_trial& trial) const {
  return {trial.id, trial.place.request,
          trial.aside ? checkpoints_.at(trial.aside).node : std::string{}};
}

void machine::suspend() {
  if (!clients_.suspend(true))
    return;
  for (auto id : trials_.live()) {
    if (auto& trial = *live(id); standing_of(trial).awaits_lease())
      return_lease(trial);
  }
}

void machine::unsuspend() {
  if (!clients_.suspend(false))
    return;
  for (auto id : awaiting())
    place(*live(id));
}

/// Marks the trial as asked for: it may run while others may not.
void machine::ask_for(live_trial& trial) {
  census_.ask_for(trial.id, standing_of(trial));
}

void machine::settle_narrowed() {
  if (census_.asked_for() == 0) {
    // Only the searcher knows whether there is more.
    if (dialogue_.is_open())
      return;
    if (trials_.live().empty() && dialogue_.may_be_asked()) {
      emit(cmd::log{on::suggest_asked{dialogue_.next(), 1}});
      return;
    }
    if (trials_.live().empty() && dialogue_.is_done())
      finish_as_complete();
    else
      finish(experiment_status::left_off, {});
    return;
  }
  // Only this wakes trials that the scheduler paused.
  for (auto id : stands_still() ? trials_.live() : std::set<trial_id>{}) {
    if (auto& trial = *live(id); standing_of(trial).is_asked_for())
      static_cast<void>(allow_on(trial));
  }
  if (asked_.choice.is_open() || clients_.suspended() || census_.asked_waiting().empty())
    return;
  choice next{seq_, {}};
  auto busy = census_.busy();
  for (auto id : census_.asked_waiting()) {
    if (settings_.max_concurrent > 0 && busy + next.start.size() >= settings_.max_concurrent)
      break;
    next.start.push_back(id);
  }
  if (next.start.empty())
    return;
  // Chosen in place of the scheduler, which would also name trials that were not asked for.
  asked_.choice.choose_instead(seq_, static_cast<std::uint32_t>(next.start.size()));
  emit(cmd::log{on::chosen{std::move(next)}});
}

void machine::tell_of_rest() {
  if (!clients_.is_first_rest())
    return;
  if (trials_.live().empty() && no_search::is_idle(rules_.searcher))
    return emit(cmd::warn{
        settings_.asked
            ? R"(nothing runs: {"op":"add"} brings trials)"
            : "nothing runs: the command `add` brings trials, and `stop` ends the experiment"});
  emit(cmd::warn{rest_text()});
}

/// The message for people while clients' pauses keep everything from running.
std::string machine::rest_text() const {
  if (clients_.suspended())
    return "nothing runs: the experiment is paused until `unpause` lifts that";
  constexpr std::uint64_t most_named = 5;
  std::string names;
  std::uint64_t named = 0;
  for (auto id : trials_.live()) {
    if (!entry_of(id).stands.is_held())
      continue;
    names += (names.empty() ? "" : ", ") + to_text(id);
    if (++named == most_named)
      break;
  }
  if (census_.held() > named)
    names += " and " + std::to_string(census_.held() - named) + " more";
  return "nothing runs: what is left, or what it waits for, was paused by a client (trial " + names
         + "), until `unpause` with its number, or `stop`";
}

} // namespace tune
