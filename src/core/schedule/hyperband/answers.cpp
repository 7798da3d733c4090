// HyperBand's answers and their reasons.
// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/schedule/hyperband/hyperband.hpp"

#include "tune/core/schedule/wording.hpp"

#include <cmath>
#include <utility>

namespace tune::hyperband {

namespace {

value counted(std::uint64_t x) {
  return static_cast<std::int64_t>(x);
}

} // namespace

decision hyperband_scheduler::judge(sequence cause, trial_id trial) const {
  decision result{cause, {}};
  auto i = trials_.find(trial);
  if (i == trials_.end())
    result.actions.push_back({trial, go_on{}, {}});
  else
    answer_for(*i, result.actions);
  tell_verdicts(cause, trial, result.actions);
  tell_verdicts(0, trial, result.actions);
  return result;
}

choice hyperband_scheduler::choose(sequence at, std::uint32_t count) const {
  choice result{at, bands_.first(count)};
  for (auto i = early_.begin(); i != early_.end() && result.start.size() < count; ++i)
    result.start.push_back(*i);
  return result;
}

decision hyperband_scheduler::on_stall(sequence at) const {
  decision result{at, {}};
  for (const auto& [trial, x] : trials_) {
    if (x.due || !x.at)
      tell_verdict(trial, result.actions);
  }
  if (result.actions.empty())
    result = force(at);
  if (!result.actions.empty())
    return result;
  for (const auto& [trial, x] : trials_) {
    if (x.where == place::paused || x.where == place::refused)
      result.actions.push_back({trial, stop{}, {{"rule", form_.name}, {"why", "not promoted"}}});
  }
  return result;
}

std::string hyperband_scheduler::outline() const {
  return form_.name + ": " + bands_.outline();
}

/// Decides for the first bracket that waits, even though it is not full.
decision hyperband_scheduler::force(sequence at) const {
  decision result{at, {}};
  auto number = bands_.first_that_waits();
  if (!number)
    return result;
  auto before = bands_.at(*number);
  auto round = before.halve();
  for (const auto& x : round.stopped)
    result.actions.push_back(
        {x.trial, stop{.completes = round.last}, verdict_of(*number, round, x, false, true)});
  for (const auto& x : round.kept) {
    auto verdict = verdict_of(*number, round, x, true, true);
    auto where = trials_.at(x.trial).where;
    auto paused = where == place::paused || where == place::refused;
    if (paused && before.may_run(x.position))
      result.actions.push_back({x.trial, allow{}, std::move(verdict)});
    else
      result.actions.push_back({x.trial, annotate{std::move(verdict)}, {}});
  }
  return result;
}

void hyperband_scheduler::answer_for(const entry& trial, std::vector<action>& into) const {
  const auto& [name, x] = trial;
  if (!x.at)
    into.push_back({name, stop{.completes = x.completes}, x.verdict});
  else if (must_wait(x))
    into.push_back({name, pause_trial{}, waits_for(x)});
  else
    into.push_back({name, go_on{}, {}});
  if (x.at && x.due)
    into.push_back({name, annotate{x.verdict}, {}});
  if (form_.tells_budget && x.budget != x.noted_budget)
    into.push_back({name, annotate{{{"rule", form_.name}, {"budget", tune::plain(x.budget)}}}, {}});
}

void hyperband_scheduler::tell_verdict(trial_id trial, std::vector<action>& into) const {
  const auto& x = trials_.at(trial);
  auto paused = x.where == place::paused || x.where == place::refused;
  if (!x.at)
    into.push_back({trial, stop{.completes = x.completes}, x.verdict});
  else if (paused && !must_wait(x))
    into.push_back({trial, allow{}, x.verdict});
  else
    into.push_back({trial, annotate{x.verdict}, {}});
}

void hyperband_scheduler::tell_verdicts(sequence told_with, trial_id but,
                                        std::vector<action>& into) const {
  auto group = due_.find(told_with);
  if (group == due_.end())
    return;
  for (auto trial : group->second) {
    if (trial != but)
      tell_verdict(trial, into);
  }
}

object hyperband_scheduler::facts_of(std::uint64_t bracket, double milestone, double score) const {
  return {{"rule", form_.name},
          {"band", counted(bands_.band_of(bracket))},
          {"bracket", counted(bands_.plan_of(bracket).halvings)},
          {"rung", tune::plain(milestone)},
          {"value", as_reported(score)}};
}

object hyperband_scheduler::verdict_of(std::uint64_t bracket, const round_result& round,
                                       const round_result::place& whose, bool kept,
                                       bool forced) const {
  auto result = facts_of(bracket, round.milestone, whose.score);
  auto compared = counted(round.kept.size() + round.stopped.size());
  result.set("rank", counted(whose.rank));
  result.set("compared", compared);
  result.set("kept", counted(round.kept.size()));
  if (!round.kept.empty())
    result.set("cutoff", as_reported(round.kept.front().score));
  if (forced)
    result.set("forced", "nothing else could run");
  auto why = brief(as_reported(whose.score)) + " at " + measure() + " "
             + to_text(tune::plain(whose.time)) + " is rank " + std::to_string(whose.rank) + " of "
             + to_text(compared);
  if (round.last)
    why = "reached the end of its bracket, " + measure() + " "
          + to_text(tune::plain(round.milestone));
  else if (kept)
    why += ": it goes on to " + to_text(tune::plain(round.next));
  else
    why += ", and " + std::to_string(round.kept.size())
           + (round.kept.size() == 1 ? " goes on" : " go on");
  result.set("why", std::move(why));
  return result;
}

object hyperband_scheduler::waits_for(const known_trial& x) const {
  const auto& here = bands_.at(x.at->bracket);
  auto result = facts_of(x.at->bracket, here.milestone(), here.score(x.at->position));
  auto others = here.below();
  result.set("waits_for", counted(others));
  auto where = "waits at " + measure() + " " + to_text(tune::plain(here.milestone()));
  if (others == 0)
    result.set("why", where + " until its bracket is full");
  else
    result.set("why", where + " for " + std::to_string(others)
                          + (others == 1 ? " other" : " others") + " of its bracket");
  return result;
}

value hyperband_scheduler::as_reported(double score) const {
  // Computed as a difference, so that 0 does not become -0.
  return tune::plain(maximise_ ? score : 0.0 - score);
}

std::string hyperband_scheduler::measure() const {
  return settings_.time_attr == "training_iteration" ? "iteration" : settings_.time_attr;
}

} // namespace tune::hyperband
