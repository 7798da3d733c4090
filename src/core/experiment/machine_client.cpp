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
  if (finished_)
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
    if (!drain_)
      return says(kind::taken, "all trials are told to end");
    return drain_->resumable ? says(kind::refused, "the experiment is leaving off already")
                             : says(kind::needless, "the experiment is ending already");
  }
  if (drain_)
    return says(kind::refused, "the experiment is leaving off");
  auto wants_pause = std::holds_alternative<on::pause_asked>(what);
  if (wants_pause == suspended_)
    return says(kind::needless, wants_pause ? "it is paused already" : "it is not paused");
  return says(kind::taken, wants_pause ? "no further trial is started; those that run go on"
                                       : "trials are started again");
}

order_verdict machine::weigh_stop(trial_id id) const {
  const auto* trial = live(id);
  if (id.number >= trials_.size())
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
  if (id.number >= trials_.size())
    return no_such_trial(id);
  if (trial == nullptr)
    return {kind::refused, "it has ended", id};
  if (drain_)
    return {kind::refused, "the experiment is leaving off", id};
  if (trial->end)
    return {kind::refused, "it is ending", id};
  if (trial->held == hold::held)
    return {kind::needless, "it is paused already", id};
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
  if (id.number >= trials_.size())
    return no_such_trial(id);
  if (trial == nullptr)
    return {kind::refused, "it has ended", id};
  if (drain_)
    return {kind::refused, "the experiment is leaving off", id};
  if (trial->end)
    return {kind::needless, "it is ending", id};
  if (trial->held == hold::held && trial->attempt)
    return {kind::taken, "it goes on as soon as it has paused", id};
  if (trial->held == hold::held || entry_of(id).status == trial_status::paused)
    return {kind::taken, "it may run again", id};
  return {kind::needless, trial->attempt ? "it runs already" : "it waits for its turn already", id};
}

order_verdict machine::weigh_add(const on::add_asked& what) const {
  if (drain_)
    return {kind::refused, "the experiment is leaving off", std::nullopt};
  if (auto known = added_.find(what.key); !what.key.empty() && known != added_.end())
    return {kind::needless, "a trial was added by this key before", known->second};
  if (what.config == nullptr)
    return {kind::refused, "there is no configuration", std::nullopt};
  const auto& rule = settings_.repeats;
  if (rule.is_on() && what.config->find(rule.parameter) != nullptr)
    return {kind::taken,
            "it waits for its turn; it names its " + rule.parameter
                + ", and so runs once and is judged by that run",
            trial_id{trials_.size()}};
  return {kind::taken, "it waits for its turn", trial_id{trials_.size()}};
}

order_verdict machine::weigh_retry(trial_id id) const {
  if (id.number >= trials_.size())
    return no_such_trial(id);
  if (drain_)
    return {kind::refused, "the experiment is leaving off", id};
  if (!is_final(entry_of(id).status))
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
    auto whole = draws_ >= on::ends_whole && trial->last != nullptr;
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
  if (trial == nullptr || trial->held == hold::held)
    return;
  set_hold(*trial, hold::held);
  if (trial->attempt) {
    set_intent(*trial, intent::pause);
    enact(*trial);
  } else if (entry(trial->id).status == trial_status::pending) {
    hold_pending(*trial);
  }
  row(*trial, "paused by a client");
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
    if (trial->held == hold::held)
      set_hold(*trial, hold::wakes);
    return;
  }
  auto waits = trial->held == hold::held && entry(trial->id).status == trial_status::pending;
  set_hold(*trial, hold::none);
  if (waits) {
    trial->queued = true;
    ++unchosen_;
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
  if (!what.key.empty())
    added_.emplace(what.key, trial.id);
  ask_for(trial);
}

void machine::take(const on::retry_asked& what) {
  auto& known = entry(what.trial);
  if (!is_final(known.status))
    return;
  withdrawn_.erase(what.trial);
  auto made = std::make_unique<live_trial>();
  auto& trial = *made;
  trial.id = what.trial;
  trial.config = what.config;
  trial.origin = what.origin;
  trial.born = seq_;
  trial.request = settings_.request;
  trial.best_merit = known.best_merit;
  trial.has_objective = known.succeeded || known.best_merit.has_value();
  trial.lineage = known.lineage + (what.from_scratch ? 1 : 0);
  if (what.from_scratch) {
    known.last_given_up = {checkpoints_made_};
  } else {
    trial.high_water = trial.judged = known.high_water;
    if (auto own = kept_.find(trial.id); own != kept_.end())
      trial.checkpoints = own->second;
    if (draws_ >= on::forgets_lineages)
      std::erase_if(trial.checkpoints, [&](checkpoint_id x) { return x <= known.last_given_up; });
    // The newest checkpoint may belong to another trial that this one was cloned from.
    std::erase(trial.checkpoints, known.newest);
    auto newest = checkpoints_.find(known.newest);
    if (newest != checkpoints_.end() && !newest->second.doomed)
      trial.checkpoints.push_back(known.newest);
  }
  succeeded_ -= std::exchange(known.succeeded, false) ? 1 : 0;
  known.live = std::move(made);
  live_.insert(trial.id);
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
  gathering_ = false;
  narrowed_ = what.only;
  if (!narrowed_)
    return;
  // The pending question to the scheduler is void.
  choosing_.reset();
  for (auto id : live_) {
    auto& trial = *live(id);
    if (!trial.awaits_lease || trial.asked_for)
      continue;
    // The last head had chosen this trial.
    stop_waiting(trial);
    if (trial.end)
      open_ends_.insert(id);
    else
      tell_added(trial);
  }
}

void machine::set_hold(live_trial& trial, hold to) {
  auto paused = entry(trial.id).status == trial_status::paused;
  auto count = [&](hold x, std::uint64_t by) {
    if (x != hold::held)
      return;
    held_ += by;
    held_paused_ += paused ? by : 0;
  };
  count(trial.held, static_cast<std::uint64_t>(-1));
  if (std::exchange(trial.held, to) != to)
    told_of_rest_ = false;
  count(trial.held, 1);
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
  if (trial.awaits_lease)
    stop_waiting(trial);
  shelve(trial);
}

/// Asks the cluster for the trial's resources, unless nothing may be started now.
void machine::place(live_trial& trial) {
  trial.place_number = ++places_;
  trial.wished_at = now_;
  if (!suspended_)
    emit(place_of(trial), trial.was_placed ? 0 : trial.born);
}

/// All trials that wait for resources, in the order in which these were asked for.
std::vector<trial_id> machine::awaiting() const {
  std::map<std::uint64_t, trial_id> result;
  for (auto id : live_) {
    if (const auto& trial = *live(id); trial.awaits_lease)
      result.emplace(trial.place_number, id);
  }
  std::vector<trial_id> in_order;
  in_order.reserve(result.size());
  for (const auto& [number, id] : result)
    in_order.push_back(id);
  return in_order;
}

cmd::place machine::place_of(const live_trial& trial) const {
  return {trial.id, trial.request, trial.aside ? checkpoints_.at(trial.aside).node : std::string{}};
}

void machine::suspend() {
  if (suspended_)
    return;
  suspended_ = true;
  told_of_rest_ = false;
  for (auto id : live_) {
    if (auto& trial = *live(id); trial.awaits_lease)
      return_lease(trial);
  }
}

void machine::unsuspend() {
  if (!suspended_)
    return;
  suspended_ = false;
  told_of_rest_ = false;
  for (auto id : awaiting())
    place(*live(id));
}

/// Marks the trial as asked for: it may run while others may not.
void machine::ask_for(live_trial& trial) {
  if (!std::exchange(trial.asked_for, true))
    ++asked_for_;
  if (trial.queued)
    asked_waiting_.insert(trial.id);
}

void machine::settle_narrowed() {
  if (asked_for_ == 0) {
    // Only the searcher knows whether there is more.
    if (asked_)
      return;
    if (live_.empty() && !searcher_done_ && !searcher_waits_) {
      emit(cmd::log{on::suggest_asked{asks_ + 1, 1}});
      return;
    }
    auto whole = live_.empty() && searcher_done_;
    finish(whole ? experiment_status::done : experiment_status::left_off,
           whole ? search_end_ : std::string{});
    return;
  }
  // Only this wakes trials that the scheduler paused.
  for (auto id : stands_still() ? live_ : std::set<trial_id>{}) {
    if (auto& trial = *live(id); trial.asked_for)
      static_cast<void>(allow_on(trial));
  }
  if (choosing_ || suspended_ || asked_waiting_.empty())
    return;
  choice next{seq_, {}};
  auto busy = counts_[static_cast<std::size_t>(trial_status::running)] + awaiting_lease_;
  for (auto id : asked_waiting_) {
    if (settings_.max_concurrent > 0 && busy + next.start.size() >= settings_.max_concurrent)
      break;
    next.start.push_back(id);
  }
  if (next.start.empty())
    return;
  // Chosen in place of the scheduler, which would also name trials that were not asked for.
  choosing_ = seq_;
  choose_count_ = static_cast<std::uint32_t>(next.start.size());
  emit(cmd::log{on::chosen{std::move(next)}});
}

void machine::tell_of_rest() {
  if (std::exchange(told_of_rest_, true))
    return;
  if (live_.empty() && no_search::is_idle(searcher_))
    return emit(
        cmd::warn{"nothing runs: the command `add` brings trials, and `stop` ends the experiment"});
  emit(cmd::warn{rest_text()});
}

/// The message for people while clients' pauses keep everything from running.
std::string machine::rest_text() const {
  if (suspended_)
    return "nothing runs: the experiment is paused until `unpause` lifts that";
  constexpr std::uint64_t most_named = 5;
  std::string names;
  std::uint64_t named = 0;
  for (auto id : live_) {
    if (live(id)->held != hold::held)
      continue;
    names += (names.empty() ? "" : ", ") + to_text(id);
    if (++named == most_named)
      break;
  }
  if (held_ > named)
    names += " and " + std::to_string(held_ - named) + " more";
  return "nothing runs: what is left, or what it waits for, was paused by a client (trial " + names
         + "), until `unpause` with its number, or `stop`";
}

} // namespace tune
