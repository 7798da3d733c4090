// Effects of facts on HyperBand's state. A round ends once all trials of its bracket wait at the
// milestone: see `look_at`.
// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/schedule/hyperband/hyperband.hpp"

#include "tune/core/schedule/refusals.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace tune::hyperband {

namespace {

/// More brackets than make sense: the reduction factor is too close to 1.
constexpr std::uint32_t most_places = 1000;

/// Notes or reason of an action.
const object& words_of(const action& x) {
  const auto* note = std::get_if<annotate>(&x.what);
  return note != nullptr ? note->notes : x.reason;
}

/// Whether both are the verdict on the same round of a bracket.
bool are_of_one_round(const object& x, const object& y) {
  for (const char* name : {"band", "bracket", "rung"}) {
    const auto* one = x.find(name);
    const auto* other = y.find(name);
    if (one == nullptr || other == nullptr || *one != *other)
      return false;
  }
  return true;
}

} // namespace

expected<void> validate(const settings& what) {
  if (places_of(what, most_places + 1) > most_places)
    return error{ec::bad_option, "reduction_factor = " + to_text(value{what.reduction_factor})
                                     + ": too near to 1, a band would have more than "
                                     + std::to_string(most_places) + " brackets"};
  return {};
}

form plain() {
  return {"hyperband", {false, true}, false, false};
}

form for_bohb() {
  return {"hb_bohb", {true, false}, true, true};
}

hyperband_scheduler::hyperband_scheduler(form how, settings what, bool maximise)
    : form_{std::move(how)}
    , settings_{std::move(what)}
    , maximise_{maximise}
    , bands_{settings_, form_.order} {}

scheduler_traits hyperband_scheduler::traits() const {
  scheduler_traits result;
  result.time_attr = settings_.time_attr;
  result.needs_checkpoints = true;
  result.prompt = true;
  return result;
}

void hyperband_scheduler::apply(const scheduler_fact& what) {
  struct visitor {
    hyperband_scheduler& self;
    sequence seq;
    void operator()(const fact::added& x) { self.add(x.trial); }
    void operator()(const fact::started& x) { self.move(x.trial, place::away); }
    void operator()(const fact::result& x) { self.see(seq, x); }
    void operator()(const fact::paused& x) { self.move(x.trial, place::paused); }
    void operator()(const fact::unpaused& x) { self.wake(x.trial); }
    void operator()(const fact::saved&) {}
    void operator()(const fact::failed& x) { self.fail(x.trial); }
    void operator()(const fact::ended& x) { self.forget(x.trial); }
    void operator()(const fact::decided& x) { self.settle(x.what); }
    void operator()(const fact::chosen& x) { self.leave_queue(x); }
    void operator()(const fact::node_up&) {}
    void operator()(const fact::node_down&) {}
  };
  std::visit(visitor{*this, what.seq}, what.what);
}

void hyperband_scheduler::add(trial_id trial) {
  auto [i, fresh] = trials_.try_emplace(trial);
  auto& x = i->second;
  if (fresh)
    x.at = bands_.join(trial);
  release_verdicts(x);
  move(trial, place::pending);
}

void hyperband_scheduler::see(sequence cause, const fact::result& what) {
  auto i = trials_.find(what.trial);
  if (i == trials_.end())
    return;
  auto& x = i->second;
  release_verdicts(x);
  x.asked = cause;
  if (!x.at || !std::isfinite(what.time) || what.scores.empty())
    return;
  auto number = x.at->bracket;
  auto& here = bands_.at(number);
  x.budget = here.milestone();
  here.report(x.at->position, what.time, what.scores.front());
  refresh(*i);
  if (must_wait(x))
    look_at(number, cause, false);
}

void hyperband_scheduler::move(trial_id trial, place to) {
  auto i = trials_.find(trial);
  if (i == trials_.end())
    return;
  i->second.where = to;
  refresh(*i);
}

void hyperband_scheduler::wake(trial_id trial) {
  // A trial that was already chosen is on its way and must not be chosen twice.
  auto i = trials_.find(trial);
  if (i != trials_.end() && i->second.where != place::away)
    move(trial, place::pending);
}

void hyperband_scheduler::leave_queue(const fact::chosen& what) {
  for (auto trial : what.what.start) {
    auto i = trials_.find(trial);
    if (i == trials_.end())
      continue;
    if (!is_refused(what, trial))
      move(trial, place::away);
    else if (i->second.where == place::paused)
      move(trial, place::refused);
  }
}

void hyperband_scheduler::fail(trial_id trial) {
  auto i = trials_.find(trial);
  if (i == trials_.end())
    return;
  // A stop is kept: the trial may come back before it takes effect.
  if (i->second.at)
    forget(trial);
  else
    move(trial, place::away);
}

void hyperband_scheduler::forget(trial_id trial) {
  auto i = trials_.find(trial);
  if (i == trials_.end())
    return;
  release_verdicts(i->second);
  mark_told(*i);
  leave_bracket(*i);
  trials_.erase(i);
}

void hyperband_scheduler::settle(const decision& what) {
  for (const auto& x : what.actions) {
    auto i = trials_.find(x.trial);
    auto forced = i != trials_.end() && i->second.at && !i->second.due
                  && words_of(x).contains("forced") && bands_.at(i->second.at->bracket).all_wait();
    if (!forced)
      continue;
    halve(i->second.at->bracket, 0, true);
    break;
  }
  for (const auto& x : what.actions) {
    auto i = trials_.find(x.trial);
    if (i == trials_.end())
      continue;
    const auto& words = words_of(x);
    if (i->second.due && (words == i->second.verdict || forestalls(x, i->second)))
      mark_told(*i);
    else if (const auto* budget = words.find("budget"))
      i->second.noted_budget = budget->number().value_or(0);
  }
  for (const auto& x : what.actions) {
    auto i = trials_.find(x.trial);
    if (i != trials_.end() && i->second.asked == what.cause)
      release_verdicts(i->second);
  }
}

/// Whether a forced verdict says already what the trial is to be told: its bracket decided for
/// itself as soon as the first of those that the same decision stops had left.
bool hyperband_scheduler::forestalls(const action& forced, const known_trial& x) const {
  const auto& words = words_of(forced);
  return !settings_.repeats_forced && words.contains("forced") && are_of_one_round(words, x.verdict)
         && std::holds_alternative<stop>(forced.what) == !x.at.has_value();
}

void hyperband_scheduler::leave_bracket(entry& trial) {
  auto& x = trial.second;
  if (!x.at)
    return;
  auto left = *x.at;
  bands_.set_startable(left, trial.first, false);
  bands_.at(left.bracket).leave(left.position);
  x.at.reset();
  early_.erase(trial.first);
  look_at(left.bracket, 0, true);
}

void hyperband_scheduler::look_at(std::uint64_t bracket, sequence cause, bool even_if_not_full) {
  // Repeated if all that are left have passed the next milestone, too.
  while (bands_.at(bracket).all_wait()
         && (even_if_not_full || !form_.waits_until_full || !bands_.is_open(bracket)))
    halve(bracket, cause, false);
  bands_.drop_if_over(bracket);
}

void hyperband_scheduler::halve(std::uint64_t bracket, sequence cause, bool forced) {
  auto round = bands_.at(bracket).halve();
  for (const auto& x : round.stopped) {
    trials_.at(x.trial).at.reset();
    give_verdict(x.trial, verdict_of(bracket, round, x, false, forced), cause, round.last);
  }
  for (const auto& x : round.kept)
    give_verdict(x.trial, verdict_of(bracket, round, x, true, forced), cause, false);
}

void hyperband_scheduler::give_verdict(trial_id trial, object verdict, sequence cause,
                                       bool completes) {
  auto i = trials_.find(trial);
  mark_told(*i);
  auto& x = i->second;
  x.verdict = std::move(verdict);
  x.due = true;
  x.completes = completes;
  x.told_with = cause;
  due_[cause].insert(trial);
  refresh(*i);
}

void hyperband_scheduler::mark_told(entry& trial) {
  auto& x = trial.second;
  if (!x.due)
    return;
  auto group = due_.find(x.told_with);
  group->second.erase(trial.first);
  if (group->second.empty())
    due_.erase(group);
  x.due = false;
  // The reason for the stop may be asked for once more.
  if (x.at)
    x.verdict = {};
  refresh(trial);
}

void hyperband_scheduler::release_verdicts(known_trial& trial) {
  auto asked = std::exchange(trial.asked, 0);
  if (asked == 0)
    return;
  auto group = due_.extract(asked);
  if (group.empty())
    return;
  for (auto x : group.mapped()) {
    auto i = trials_.find(x);
    i->second.told_with = 0;
    due_[0].insert(x);
    refresh(*i);
  }
}

void hyperband_scheduler::refresh(const entry& trial) {
  const auto& [name, x] = trial;
  if (x.at)
    bands_.set_startable(*x.at, name, is_startable(x));
  if (must_wait(x) && x.where == place::pending)
    early_.insert(name);
  else
    early_.erase(name);
}

bool hyperband_scheduler::must_wait(const known_trial& x) const {
  return x.at && !bands_.at(x.at->bracket).may_run(x.at->position);
}

/// Whether the trial may be started. A paused trial whose verdict is on its way is resumed by that.
bool hyperband_scheduler::is_startable(const known_trial& x) const {
  if (!x.at || must_wait(x))
    return false;
  auto awaits_word = x.due && x.told_with != 0;
  return x.where == place::pending || (x.where == place::paused && !awaits_word);
}

void hyperband_scheduler::describe(fingerprint& into) const {
  bands_.describe(into);
  into.add(std::uint64_t{trials_.size()});
  for (const auto& [trial, x] : trials_) {
    into.add(trial).add(std::uint64_t{x.at.has_value()});
    if (x.at)
      into.add(x.at->bracket).add(x.at->position);
    into.add(std::uint64_t{static_cast<std::uint8_t>(x.where)}).add(x.asked).add(x.verdict);
    into.add(std::uint64_t{x.completes});
    into.add(std::uint64_t{x.due}).add(x.told_with).add(x.budget).add(x.noted_budget);
  }
}

} // namespace tune::hyperband
