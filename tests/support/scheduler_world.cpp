// SPDX-License-Identifier: BSD-3-Clause
#include "support/scheduler_world.hpp"

#include "support/scheduler_feed.hpp"
#include "tune/core/schedule/refusals.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tune::support {

namespace {

std::string text_of(const choice& what) {
  std::string result;
  for (auto x : what.start)
    result += (result.empty() ? "" : " ") + std::to_string(x.number);
  return result;
}

/// The actions of a decision with their trials, without reasons.
std::string moves_of(const decision& what) {
  std::string result;
  for (const auto& x : what.actions) {
    result += std::string{name_of(x.what)} + " " + std::to_string(x.trial.number);
    if (const auto* due_exploit = std::get_if<exploit>(&x.what))
      result += " of " + std::to_string(due_exploit->donor.number) + " "
                + to_text(value{*due_exploit->config});
    result += "; ";
  }
  return result;
}

} // namespace

std::string ask_again(const scheduler& uut, const exchange& what) {
  switch (what.what) {
    case exchange::kind::judge:
      return support::text_of(uut.judge(what.at, what.trial));
    case exchange::kind::choose:
      return text_of(uut.choose(what.at, what.count));
    case exchange::kind::stall:
      return support::text_of(uut.on_stall(what.at));
  }
  return {};
}

scheduler_world::scheduler_world(scheduler& uut, world_settings settings)
    : uut_{&uut}, settings_{settings}, random_{settings.seed} {}

void scheduler_world::run() {
  // Far more steps than any correct scheduler needs; one that never ends its trials is faulty.
  auto most = 1000 + 40 * settings_.trials * settings_.iterations;
  for (std::uint64_t i = 0; i < most; ++i) {
    while (added_ < settings_.trials && (added_ < settings_.slots + 2 || chance(20))) {
      trial_id id{added_++};
      auto& trial = trials_[id];
      trial.talent = std::uniform_real_distribution{0.0, 1.0}(random_);
      trial.config = std::make_shared<const object>(object{{"x", trial.talent}});
      tell(fact::added{id, trial.config, false});
    }
    fill_slots();
    if (step())
      continue;
    if (added_ == settings_.trials && (trials_.empty() || !stall()))
      return;
  }
  fault("no end after " + std::to_string(most) + " steps");
}

bool scheduler_world::chance(int percent) {
  return std::uniform_int_distribution{1, 100}(random_) <= percent;
}

std::size_t scheduler_world::running() const {
  return static_cast<std::size_t>(std::count_if(trials_.begin(), trials_.end(), [](const auto& x) {
    return x.second.now == state::running;
  }));
}

sequence scheduler_world::tell(decltype(scheduler_fact::what) what) {
  // Gaps in the sequence: the log also holds events that the scheduler is not told.
  seq_ += 1 + static_cast<sequence>(chance(30));
  facts_.push_back({seq_, instant{static_cast<std::int64_t>(seq_)}, std::move(what)});
  uut_->apply(facts_.back());
  digests_.push_back(digest(*uut_));
  return seq_;
}

void scheduler_world::fault(std::string what) {
  faults_.push_back("at " + std::to_string(seq_) + ": " + std::move(what));
}

void scheduler_world::fill_slots() {
  auto busy = running();
  if (busy >= settings_.slots)
    return;
  auto free = static_cast<std::uint32_t>(settings_.slots - busy);
  auto answer = uut_->choose(seq_, free);
  exchanges_.push_back(
      {exchange::kind::choose, facts_.size(), seq_, {}, free, text_of(answer), text_of(answer)});
  if (answer.start.empty())
    return;
  if (answer.start.size() > free)
    fault("more chosen than asked for");
  fact::chosen told{answer, {}};
  std::vector<trial_id> started;
  for (auto id : answer.start) {
    auto i = trials_.find(id);
    if (i == trials_.end() || i->second.now == state::running) {
      fault("chose trial " + std::to_string(id.number) + ", which cannot start");
      told.refused.push_back(id);
      continue;
    }
    i->second.now = state::running;
    started.push_back(id);
  }
  tell(std::move(told));
  for (auto id : started)
    tell(fact::started{id});
}

bool scheduler_world::step() {
  for (auto& [id, x] : trials_) {
    if (x.asked != 0 && x.due-- <= 0) {
      give_verdict(id);
      return true;
    }
  }
  std::vector<trial_id> able;
  auto waits = false;
  for (auto& [id, x] : trials_) {
    waits = waits || x.asked != 0;
    if (x.now == state::running && x.asked == 0)
      able.push_back(id);
  }
  if (able.empty())
    return waits;
  auto id = able[std::uniform_int_distribution<std::size_t>{0, able.size() - 1}(random_)];
  train(id, trials_.at(id));
  return true;
}

void scheduler_world::train(trial_id id, known_trial& trial) {
  if (chance(settings_.fatal)) {
    end(id, fact::end_kind::errored, true);
    return;
  }
  if (chance(settings_.retried)) {
    tell(fact::failed{id});
    trial.now = state::pending;
    trial.pauses = false;
    tell(fact::added{id, trial.config, true});
    return;
  }
  if (settings_.lost > 0 && chance(settings_.lost)) {
    come_back(id, trial);
    return;
  }
  if (trial.pauses) {
    // The trial has retrained up to the point of its pause; none of these results was new.
    trial.pauses = false;
    trial.now = state::paused;
    tell(fact::paused{id, {++checkpoints_}});
    return;
  }
  ++trial.iteration;
  if (trial.iteration >= settings_.iterations) {
    end(id, fact::end_kind::completed, false);
    return;
  }
  fact::result what;
  what.trial = id;
  what.lineage = trial.lineage;
  what.iteration = trial.iteration;
  what.scores = scores(trial);
  // A report without the metric is not shown to the scheduler; its trial just goes on.
  if (what.scores.empty())
    return;
  what.time = chance(settings_.odd / 2) ? std::nan("") : static_cast<double>(trial.iteration);
  auto full = std::make_shared<report>();
  full->trial = id;
  full->iteration = trial.iteration;
  full->metrics = std::make_shared<const object>();
  what.full = std::move(full);
  trial.asked = tell(std::move(what));
  trial.due = settings_.late == 0 ? 0 : std::uniform_int_distribution{0, settings_.late}(random_);
}

void scheduler_world::come_back(trial_id id, known_trial& trial) {
  trial.now = state::pending;
  trial.asked = 0;
  trial.iteration = std::uniform_int_distribution<std::uint64_t>{0, trial.iteration}(random_);
  tell(fact::added{id, trial.config, true});
}

std::vector<double> scheduler_world::scores(const known_trial& trial) {
  constexpr auto infinity = std::numeric_limits<double>::infinity();
  if (chance(settings_.odd)) {
    switch (std::uniform_int_distribution{0, 3}(random_)) {
      case 0:
        return {};
      case 1:
        return std::vector<double>(settings_.objectives, infinity);
      case 2:
        return std::vector<double>(settings_.objectives, -infinity);
      default:
        return std::vector<double>(settings_.objectives, std::nan(""));
    }
  }
  std::vector<double> result;
  for (std::uint32_t i = 0; i < settings_.objectives; ++i) {
    auto noise = std::uniform_real_distribution{-0.05, 0.05}(random_);
    auto progress = 1 - std::exp(-0.1 * static_cast<double>(trial.iteration));
    result.push_back(trial.talent * progress + noise);
  }
  return result;
}

void scheduler_world::give_verdict(trial_id id) {
  auto cause = trials_.at(id).asked;
  auto later = uut_->judge_later(cause, id);
  auto answer = uut_->judge(cause, id);
  if (later && support::text_of(later()) != support::text_of(answer))
    fault("says something else when it is given time");
  exchanges_.push_back({exchange::kind::judge, facts_.size(), cause, id, 0,
                        support::text_of(answer), moves_of(answer)});
  if (answer.cause != cause)
    fault("answered about another result");
  trials_.at(id).asked = 0;
  carry_out(answer, cause);
}

void scheduler_world::carry_out(const decision& what, sequence cause) {
  fact::decided told{what, {}};
  for (std::size_t i = 0; i < what.actions.size(); ++i) {
    const auto& x = what.actions[i];
    if (!trials_.contains(x.trial)) {
      told.refused.push_back(static_cast<std::uint32_t>(i));
      // Acting on a trial that has ended meanwhile is allowed; acting on an unknown one is a fault.
      if (x.trial.number >= added_)
        fault("acts on trial " + std::to_string(x.trial.number) + ", which does not exist");
    }
    if (std::holds_alternative<stop>(x.what) && x.reason.empty())
      fault("stops without a reason");
  }
  if (what.cause != cause)
    fault("the decision names another cause");
  std::vector<action> later;
  for (std::size_t i = 0; i < what.actions.size(); ++i) {
    const auto& x = what.actions[i];
    auto was_known = !is_refused(told, i);
    if (was_known && (!trials_.contains(x.trial) || refuses(x)))
      told.refused.push_back(static_cast<std::uint32_t>(i));
    else if (was_known && acts_at_once(x))
      act(x);
    else if (was_known)
      later.push_back(x);
  }
  std::sort(told.refused.begin(), told.refused.end());
  tell(std::move(told));
  for (const auto& x : later)
    act(x);
}

/// Whether an action takes effect without waiting for a running trial; the scheduler then hears of
/// the effect before the record of its own answer.
bool scheduler_world::acts_at_once(const action& what) const {
  auto now = trials_.at(what.trial).now;
  auto ends_or_moves
      = std::holds_alternative<stop>(what.what) || std::holds_alternative<exploit>(what.what);
  return (ends_or_moves && now != state::running)
         || (std::holds_alternative<allow>(what.what) && now == state::paused);
}

bool scheduler_world::refuses(const action& what) {
  return std::holds_alternative<exploit>(what.what) && settings_.futile > 0
         && chance(settings_.futile);
}

bool scheduler_world::act(const action& what) {
  auto i = trials_.find(what.trial);
  if (i == trials_.end())
    return false;
  auto& trial = i->second;
  auto for_later
      = std::holds_alternative<pause_trial>(what.what) || std::holds_alternative<save>(what.what);
  if (for_later && settings_.futile > 0 && chance(settings_.futile))
    return false;
  if (const auto* ends = std::get_if<stop>(&what.what)) {
    end(what.trial, ends->completes ? fact::end_kind::completed : fact::end_kind::stopped, true);
  } else if (std::holds_alternative<pause_trial>(what.what) && trial.now == state::running
             && settings_.lost > 0 && chance(settings_.lost)) {
    trial.pauses = true;
    trial.now = state::pending;
    trial.asked = 0;
    tell(fact::added{what.trial, trial.config, true});
  } else if (std::holds_alternative<pause_trial>(what.what) && trial.now == state::running) {
    trial.now = state::paused;
    trial.asked = 0;
    tell(fact::paused{what.trial, {++checkpoints_}});
  } else if (std::holds_alternative<allow>(what.what) && trial.now == state::paused) {
    trial.now = state::allowed;
    tell(fact::unpaused{what.trial});
  } else if (std::holds_alternative<save>(what.what) && trial.now == state::running) {
    tell(fact::saved{what.trial, {++checkpoints_}, trial.iteration});
  } else if (const auto* due_exploit = std::get_if<exploit>(&what.what)) {
    ++trial.lineage;
    trial.asked = 0;
    trial.pauses = false;
    trial.now = state::pending;
    trial.config = due_exploit->config;
    if (auto donor = trials_.find(due_exploit->donor); donor != trials_.end())
      trial.iteration = donor->second.iteration;
    tell(fact::added{what.trial, trial.config, true});
  }
  return true;
}

void scheduler_world::end(trial_id id, fact::end_kind how, bool judged) {
  auto& trial = trials_.at(id);
  fact::ended what;
  what.trial = id;
  what.how = how;
  what.judged = judged;
  what.scores = scores(trial);
  what.time = static_cast<double>(trial.iteration);
  trials_.erase(id);
  tell(std::move(what));
}

bool scheduler_world::stall() {
  auto answer = uut_->on_stall(seq_);
  exchanges_.push_back({exchange::kind::stall,
                        facts_.size(),
                        seq_,
                        {},
                        0,
                        support::text_of(answer),
                        moves_of(answer)});
  if (answer.actions.empty()) {
    fault("has no answer to a stall with " + std::to_string(trials_.size()) + " trials left");
    return false;
  }
  carry_out(answer, seq_);
  return true;
}

} // namespace tune::support
