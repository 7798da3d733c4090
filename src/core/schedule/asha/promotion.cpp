// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/schedule/asha/promotion.hpp"

#include "tune/core/schedule/refusals.hpp"
#include "tune/core/schedule/wording.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tune::asha {

namespace {

/// Replaces the number of rungs ahead for a trial that has passed no rung.
constexpr auto passed_none = std::numeric_limits<std::uint32_t>::max();

} // namespace

promotion::promotion(settings what, std::uint64_t seed, bool maximise)
    : settings_{std::move(what)}, maximise_{maximise}, plan_{settings_, seed} {
  for (const auto& marks : plan_.milestones()) {
    auto bracket = static_cast<std::uint32_t>(brackets_.size());
    auto& rungs = brackets_.emplace_back();
    for (auto mark : marks) {
      if (mark >= settings_.max_t)
        break;
      from_the_top_.emplace_back(bracket, static_cast<std::uint32_t>(rungs.size()));
      rungs.push_back({mark, make_board(settings_.reduction_factor, settings_.objectives)});
    }
  }
  auto milestone = [this](const auto& x) { return brackets_[x.first][x.second].milestone; };
  std::stable_sort(from_the_top_.begin(), from_the_top_.end(),
                   [&](const auto& x, const auto& y) { return milestone(x) > milestone(y); });
}

scheduler_traits promotion::traits() const {
  scheduler_traits result;
  result.time_attr = settings_.time_attr;
  result.needs_checkpoints = true;
  result.prompt = true;
  return result;
}

void promotion::apply(const scheduler_fact& what) {
  struct visitor {
    promotion& self;
    sequence seq;
    void operator()(const fact::added& x) { self.add(x); }
    void operator()(const fact::started& x) { self.move(x.trial, place::away); }
    void operator()(const fact::result& x) { self.see(seq, x); }
    void operator()(const fact::paused& x) { self.move(x.trial, place::paused); }
    void operator()(const fact::unpaused& x) {
      // A trial that was already chosen is on its way and must not be chosen twice.
      if (self.known(x.trial).where != place::away)
        self.move(x.trial, place::pending);
    }
    void operator()(const fact::failed& x) { self.move(x.trial, place::away); }
    void operator()(const fact::ended& x) { self.see_end(x); }
    void operator()(const fact::decided& x) { self.settle(x.what); }
    void operator()(const fact::chosen& x) { self.leave(x); }
    void operator()(const fact::saved&) {}
    void operator()(const fact::node_up&) {}
    void operator()(const fact::node_down&) {}
  };
  std::visit(visitor{*this, what.seq}, what.what);
}

decision promotion::judge(sequence cause, trial_id trial) const {
  if (auto said = remarks_.find(trial); said != remarks_.end()) {
    for (const auto& x : said->second.verdicts) {
      auto stops = std::holds_alternative<stop>(x.what);
      if (x.cause != cause && !(stops && x.cause < cause))
        continue;
      action found{trial, x.what, x.reason};
      if (std::holds_alternative<annotate>(x.what))
        return {cause, {{trial, go_on{}, {}}, std::move(found)}};
      return {cause, {std::move(found)}};
    }
  }
  return {cause, {{trial, go_on{}, {}}}};
}

choice promotion::choose(sequence at, std::uint32_t count) const {
  choice result{at, {}};
  auto next = queue_.begin();
  auto take = [&](auto&& wanted) {
    for (; next != queue_.end() && result.start.size() < count && wanted(next->first); ++next)
      result.start.push_back(next->second);
  };
  take([](const turn& x) { return std::get<0>(x) != passed_none; });
  for (const auto& [bracket, number] : from_the_top_)
    brackets_[bracket][number].finished->name(count, result.start);
  take([](const turn&) { return true; });
  return result;
}

decision promotion::on_stall(sequence at) const {
  std::vector<trial_id> left;
  auto lowest = std::numeric_limits<double>::infinity();
  for (std::uint64_t i = 0; i < climbers_.size(); ++i) {
    const auto& x = climbers_[i];
    auto held = x.where == place::refused || x.where == place::paused;
    if (x.where == place::away || (x.may_run() && !held))
      continue;
    // A trial that waits for no promotion is stopped last.
    auto mark = x.may_run() ? std::numeric_limits<double>::infinity() : rung_of(x).milestone;
    if (mark < lowest)
      left.clear();
    lowest = std::min(lowest, mark);
    if (mark == lowest)
      left.push_back({i});
  }
  decision result{at, {}};
  for (auto trial : left) {
    auto facts = facts_of(climbers_[trial.number]);
    facts.set("why", "not promoted");
    result.actions.push_back({trial, stop{}, std::move(facts)});
  }
  return result;
}

std::string promotion::outline() const {
  std::string result = "asha: ";
  for (std::size_t i = 0; i < brackets_.size(); ++i) {
    result += i == 0 ? "" : "; ";
    if (brackets_.size() > 1)
      result += "bracket " + std::to_string(i) + " ";
    auto first = true;
    for (const auto& x : brackets_[i]) {
      result += (first ? "rung " : ", ") + to_text(plain(x.milestone)) + ": "
                + std::to_string(x.finished->size());
      first = false;
    }
  }
  return result;
}

void promotion::describe(fingerprint& into) const {
  into.add(next_position_).add(std::uint64_t{climbers_.size()});
  for (const auto& x : climbers_) {
    into.add(x.position).add(std::uint64_t{x.bracket}).add(std::uint64_t{x.passed});
    into.add(std::uint64_t{x.slot}).add(std::uint64_t{static_cast<std::uint8_t>(x.where)});
    into.add(std::uint64_t{x.promoted}).add(std::uint64_t{x.known});
  }
  into.add(std::uint64_t{remarks_.size()});
  for (const auto& [trial, x] : remarks_) {
    into.add(trial).add(x.promotion).add(std::uint64_t{x.verdicts.size()});
    for (const auto& y : x.verdicts)
      into.add(y.cause).add(std::uint64_t{y.what.index()}).add(y.reason);
  }
  for (const auto& rungs : brackets_) {
    for (const auto& x : rungs)
      x.finished->describe(into);
  }
}

promotion::climber& promotion::known(trial_id trial) {
  if (climbers_.size() <= trial.number)
    climbers_.resize(trial.number + 1);
  auto& x = climbers_[trial.number];
  if (!x.known) {
    x.known = true;
    x.bracket = plan_.bracket_of(trial);
    x.position = next_position_++;
  }
  return x;
}

const promotion::rung& promotion::rung_of(const climber& x) const {
  return brackets_[x.bracket][x.passed - 1];
}

promotion::turn promotion::turn_of(const climber& x) const {
  auto before = static_cast<std::uint32_t>(brackets_[x.bracket].size()) - x.passed;
  return {x.passed == 0 ? passed_none : before, x.where == place::paused, x.position};
}

/// Changes a climber and keeps its place in the queue or on its board up to date.
template <class Change>
void promotion::change(trial_id trial, Change how) {
  auto& x = known(trial);
  if (x.is_available() && x.may_run())
    queue_.erase(turn_of(x));
  else if (x.is_available())
    rung_of(x).finished->set_open(x.slot, false);
  how(x);
  if (x.is_available() && x.may_run())
    queue_.emplace(turn_of(x), trial);
  else if (x.is_available())
    rung_of(x).finished->set_open(x.slot, true);
}

void promotion::move(trial_id trial, place to) {
  change(trial, [to](climber& x) { x.where = to; });
}

void promotion::promote(trial_id trial) {
  auto facts = facts_of(known(trial));
  facts.set("why", "promoted from rung " + to_text(*facts.find("rung")) + ": rank "
                       + to_text(*facts.find("rank")) + " of " + to_text(*facts.find("recorded")));
  remarks_[trial].promotion = std::move(facts);
  change(trial, [](climber& x) { x.promoted = true; });
}

void promotion::add(const fact::added& what) {
  auto is_known = what.trial.number < climbers_.size() && climbers_[what.trial.number].known;
  auto position = is_known && what.again ? next_position_++ : known(what.trial).position;
  change(what.trial, [position](climber& x) {
    x.position = position;
    x.where = place::pending;
  });
}

void promotion::see(sequence cause, const fact::result& what) {
  if (std::isnan(what.time) || what.scores.size() < settings_.objectives || is_stopped(what.trial))
    return;
  auto is_new = record(what.trial, what.time, what.scores);
  const auto& x = known(what.trial);
  if (settings_.stop_last_trials && what.time >= settings_.max_t) {
    say(cause, what.trial, stop{.completes = true},
        {{"rule", "asha"},
         {"max_t", plain(settings_.max_t)},
         {"time", plain(what.time)},
         {"why", "reached max_t"}});
    return;
  }
  if (!x.may_run()) {
    if (is_new || !rung_of(x).finished->is_promotable(x.slot)) {
      say(cause, what.trial, pause_trial{}, reason_to_wait(x));
      return;
    }
    promote(what.trial);
  }
  auto said = remarks_.find(what.trial);
  if (said != remarks_.end() && !said->second.promotion.empty())
    say(cause, what.trial, annotate{std::exchange(said->second.promotion, {})}, {});
}

/// @returns whether the trial has newly passed a rung.
bool promotion::record(trial_id trial, double time, const std::vector<double>& scores) {
  auto& rungs = brackets_[known(trial).bracket];
  auto above = std::upper_bound(rungs.begin(), rungs.end(), time,
                                [](double t, const rung& x) { return t < x.milestone; });
  auto reached = static_cast<std::uint32_t>(above - rungs.begin());
  if (reached <= known(trial).passed)
    return false;
  change(trial, [&](climber& x) {
    x.passed = reached;
    x.promoted = false;
    x.slot = rungs[reached - 1].finished->record(trial, {scores.data(), settings_.objectives});
  });
  return true;
}

void promotion::see_end(const fact::ended& what) {
  move(what.trial, place::away);
  auto is_news = what.how == fact::end_kind::completed && !what.judged
                 && what.scores.size() >= settings_.objectives && !std::isnan(what.time);
  if (is_news && !is_stopped(what.trial))
    record(what.trial, what.time, what.scores);
  remarks_.erase(what.trial);
}

void promotion::settle(const decision& what) {
  for (const auto& x : what.actions) {
    auto said = remarks_.find(x.trial);
    if (said == remarks_.end())
      continue;
    // A stop is kept: the trial may fail before it takes effect, and come back.
    std::erase_if(said->second.verdicts, [&](const verdict& y) {
      return !std::holds_alternative<stop>(y.what) && y.cause == what.cause;
    });
    if (said->second.verdicts.empty() && said->second.promotion.empty())
      remarks_.erase(said);
  }
}

void promotion::leave(const fact::chosen& what) {
  for (auto trial : what.what.start) {
    const auto& x = known(trial);
    if (!is_refused(what, trial)) {
      if (!x.may_run())
        promote(trial);
      move(trial, place::away);
    } else if (x.where == place::paused) {
      move(trial, place::refused);
    }
  }
}

bool promotion::is_stopped(trial_id trial) const {
  auto said = remarks_.find(trial);
  return said != remarks_.end() && !said->second.verdicts.empty()
         && std::holds_alternative<stop>(said->second.verdicts.back().what);
}

void promotion::say(sequence cause, trial_id trial, action_body what, object reason) {
  remarks_[trial].verdicts.push_back({cause, std::move(what), std::move(reason)});
}

object promotion::facts_of(const climber& x) const {
  object result{{"rule", "asha"}};
  if (x.passed == 0)
    return result;
  const auto& here = rung_of(x);
  auto stands = here.finished->standing_of(x.slot);
  auto count = [](std::uint64_t n) { return static_cast<std::int64_t>(n); };
  result.set("bracket", count(x.bracket));
  result.set("rung", plain(here.milestone));
  result.set("value", as_reported(stands.score, maximise_));
  result.set("rank", count(stands.rank));
  result.set("recorded", count(stands.recorded));
  result.set("promotable", count(stands.promotable));
  if (stands.cutoff)
    result.set("cutoff", as_reported(*stands.cutoff, maximise_));
  if (stands.front)
    result.set("front", count(*stands.front));
  return result;
}

object promotion::reason_to_wait(const climber& x) const {
  auto result = facts_of(x);
  auto stands = rung_of(x).finished->standing_of(x.slot);
  auto best = stands.promotable;
  auto go_on = best == 0   ? std::string{"none goes on yet"}
               : best == 1 ? std::string{"the best goes on"}
                           : "the best " + std::to_string(best) + " go on";
  result.set("why", "waits at rung " + to_text(plain(rung_of(x).milestone)) + ": rank "
                        + std::to_string(stands.rank) + " of " + std::to_string(stands.recorded)
                        + ", of which " + go_on);
  return result;
}

} // namespace tune::asha
