// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/schedule/asha/asha.hpp"

#include "tune/core/schedule/wording.hpp"

#include <cmath>
#include <utility>

namespace tune::asha {

asha_scheduler::asha_scheduler(settings what, std::uint64_t seed, bool maximise)
    : settings_{std::move(what)}, maximise_{maximise}, plan_{settings_, seed} {
  for (const auto& marks : plan_.milestones())
    brackets_.emplace_back(marks, settings_.reduction_factor, settings_.objectives);
}

scheduler_traits asha_scheduler::traits() const {
  scheduler_traits result;
  result.time_attr = settings_.time_attr;
  // The order never depends on results.
  result.choose_ahead = 256;
  result.prompt = true;
  return result;
}

void asha_scheduler::apply(const scheduler_fact& what) {
  queue_.apply(what);
  if (const auto* added = std::get_if<fact::added>(&what.what))
    known(added->trial);
  else if (const auto* result = std::get_if<fact::result>(&what.what))
    see(what.seq, *result);
  else if (const auto* ended = std::get_if<fact::ended>(&what.what))
    see_end(*ended);
  else if (const auto* decided = std::get_if<fact::decided>(&what.what))
    settle(decided->what);
}

decision asha_scheduler::judge(sequence cause, trial_id trial) const {
  auto live = live_.find(trial);
  const auto* found = live == live_.end() ? nullptr : live->second.about(cause);
  if (found == nullptr)
    return {cause, {{trial, go_on{}, {}}}};
  auto facts = facts_of(live->second, *found);
  if (found->stops)
    return {cause, {{trial, stop{.completes = !found->at}, std::move(facts)}}};
  return {cause, {{trial, go_on{}, {}}, {trial, annotate{std::move(facts)}, {}}}};
}

choice asha_scheduler::choose(sequence at, std::uint32_t count) const {
  return queue_.first(at, count);
}

decision asha_scheduler::on_stall(sequence at) const {
  return queue_.end_paused(at, "asha");
}

std::string asha_scheduler::outline() const {
  std::string result = "asha: ";
  for (std::size_t i = 0; i < brackets_.size(); ++i) {
    result += i == 0 ? "" : "; ";
    if (brackets_.size() > 1)
      result += "bracket " + std::to_string(i) + " ";
    result += brackets_[i].outline();
  }
  return result;
}

void asha_scheduler::describe(fingerprint& into) const {
  for (const auto& x : brackets_)
    x.describe(into);
  into.add(std::uint64_t{live_.size()});
  for (const auto& [trial, x] : live_) {
    into.add(trial).add(std::uint64_t{x.bracket}).add(std::uint64_t{x.verdicts.size()});
    for (const auto& y : x.verdicts)
      into.add(y.cause).add(std::uint64_t{y.stops}).add(facts_of(x, y));
  }
  into.add(std::uint64_t{passed_.size()});
  for (auto x : passed_)
    into.add(std::uint64_t{x});
  queue_.describe(into);
}

const asha_scheduler::verdict* asha_scheduler::live_trial::about(sequence cause) const {
  for (const auto& x : verdicts) {
    if (x.cause == cause || (x.stops && x.cause < cause))
      return &x;
  }
  return nullptr;
}

asha_scheduler::live_trial& asha_scheduler::known(trial_id trial) {
  auto [i, fresh] = live_.try_emplace(trial);
  if (fresh)
    i->second.bracket = plan_.bracket_of(trial);
  return i->second;
}

std::uint32_t& asha_scheduler::passed(trial_id trial) {
  if (passed_.size() <= trial.number)
    passed_.resize(trial.number + 1);
  return passed_[trial.number];
}

std::optional<rung_visit> asha_scheduler::visit(trial_id trial, double time,
                                                const std::vector<double>& scores) {
  auto& bracket = brackets_[known(trial).bracket];
  return bracket.visit(time, std::span{scores}.first(settings_.objectives), passed(trial));
}

void asha_scheduler::see(sequence cause, const fact::result& what) {
  if (std::isnan(what.time) || what.scores.size() < settings_.objectives)
    return;
  auto& trial = known(what.trial);
  if (trial.is_stopped())
    return;
  auto visit = this->visit(what.trial, what.time, what.scores);
  if (settings_.stop_last_trials && what.time >= settings_.max_t)
    trial.verdicts.push_back({cause, true, std::nullopt, what.time});
  else if (visit)
    trial.verdicts.push_back({cause, visit->is_below(), visit, what.time});
}

void asha_scheduler::see_end(const fact::ended& what) {
  auto is_news = what.how == fact::end_kind::completed && !what.judged
                 && what.scores.size() >= settings_.objectives && !std::isnan(what.time);
  if (is_news && !known(what.trial).is_stopped())
    visit(what.trial, what.time, what.scores);
  live_.erase(what.trial);
}

void asha_scheduler::settle(const decision& what) {
  for (const auto& x : what.actions) {
    auto live = live_.find(x.trial);
    if (live == live_.end())
      continue;
    // A stop is kept: the trial may fail before it takes effect, and come back.
    std::erase_if(live->second.verdicts,
                  [&](const verdict& y) { return !y.stops && y.cause == what.cause; });
  }
}

object asha_scheduler::facts_of(const live_trial& trial, const verdict& what) const {
  object result{{"rule", "asha"}};
  auto shown = [this](double score) { return as_reported(score, maximise_); };
  if (!what.at) {
    result.set("max_t", plain(settings_.max_t));
    result.set("time", plain(what.time));
    result.set("why", "reached max_t");
    return result;
  }
  result.set("bracket", static_cast<std::int64_t>(trial.bracket));
  result.set("rung", plain(what.at->milestone));
  if (what.at->cutoff)
    result.set("cutoff", shown(*what.at->cutoff));
  result.set("value", shown(what.at->score));
  result.set("recorded", static_cast<std::int64_t>(what.at->recorded));
  if (const auto& stands = what.at->stands) {
    result.set("front", static_cast<std::int64_t>(stands->front));
    result.set("rank", static_cast<std::int64_t>(stands->rank));
    result.set("most", static_cast<std::int64_t>(stands->most));
  }
  if (what.stops)
    result.set("why", why_stopped(what));
  return result;
}

std::string asha_scheduler::why_stopped(const verdict& what) const {
  auto rung = " of rung " + to_text(plain(what.at->milestone));
  if (const auto& stands = what.at->stands)
    return "rank " + std::to_string(stands->rank) + rung + ", in front "
           + std::to_string(stands->front) + ": of " + std::to_string(what.at->recorded + 1)
           + " the best " + std::to_string(stands->most) + " go on";
  auto [score, cutoff] = told_apart(as_reported(what.at->score, maximise_),
                                    as_reported(*what.at->cutoff, maximise_));
  // The judged value may differ from the trial's best, which is shown beside it.
  return score + " at " + moment(settings_.time_attr, what.time)
         + (maximise_ ? " is below" : " is above") + " the cutoff " + cutoff + rung;
}

} // namespace tune::asha
