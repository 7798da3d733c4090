// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/schedule/asha/asha.hpp"

#include "tune/core/rng.hpp"
#include "tune/core/schedule/wording.hpp"

#include <cmath>
#include <utility>

namespace tune::asha {

namespace {

/// More rungs than anybody means: a reduction factor too near to 1.
constexpr std::size_t most_rungs = 1000;

} // namespace

expected<void> validate(const settings& what) {
  if (what.max_t < what.grace_period)
    return error{ec::bad_option,
                 "max_t = " + to_text(plain(what.max_t))
                     + ": must be at least grace_period = " + to_text(plain(what.grace_period))};
  auto rungs = milestones(what.grace_period, what.reduction_factor, what.max_t, 0, most_rungs + 1);
  if (rungs.size() > most_rungs)
    return error{ec::bad_option, "reduction_factor = " + to_text(value{what.reduction_factor})
                                     + ": too near to 1, there would be more than "
                                     + std::to_string(most_rungs) + " rungs"};
  return {};
}

rule::rule(settings what, std::uint64_t seed, bool maximise)
    : settings_{std::move(what)}, seed_{seed}, maximise_{maximise} {
  for (std::uint32_t s = 0; s < settings_.brackets; ++s) {
    auto marks = milestones(settings_.grace_period, settings_.reduction_factor, settings_.max_t, s,
                            most_rungs);
    brackets_.emplace_back(marks, settings_.reduction_factor);
    // e^(rungs - most rungs), by products: `std::exp` may differ between machines.
    constexpr double one_rung_less = 0.36787944117144233;
    auto weight = 1.0;
    for (auto i = marks.size(); i < brackets_.front().size(); ++i)
      weight *= one_rung_less;
    weights_.push_back(weight);
  }
}

scheduler_traits rule::traits() const {
  scheduler_traits result;
  result.time_attr = settings_.time_attr;
  // The order never depends on results.
  result.choose_ahead = 256;
  result.prompt = true;
  return result;
}

void rule::apply(const scheduler_fact& what) {
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

decision rule::judge(sequence cause, trial_id trial) const {
  auto live = live_.find(trial);
  const auto* found = live == live_.end() ? nullptr : live->second.about(cause);
  if (found == nullptr)
    return {cause, {{trial, go_on{}, {}}}};
  auto facts = facts_of(live->second, *found);
  if (found->stops)
    return {cause, {{trial, stop{}, std::move(facts)}}};
  return {cause, {{trial, go_on{}, {}}, {trial, annotate{std::move(facts)}, {}}}};
}

choice rule::choose(sequence at, std::uint32_t count) const {
  return queue_.first(at, count);
}

decision rule::on_stall(sequence at) const {
  return queue_.end_paused(at, "asha");
}

void rule::describe(fingerprint& into) const {
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

const rule::verdict* rule::live_trial::about(sequence cause) const {
  for (const auto& x : verdicts) {
    if (x.cause == cause || (x.stops && x.cause < cause))
      return &x;
  }
  return nullptr;
}

std::uint32_t rule::draw_bracket(trial_id trial) const {
  auto sum = 0.0;
  for (auto x : weights_)
    sum += x;
  auto left = rng{seed_, "asha.bracket", trial.number}.unit() * sum;
  std::uint32_t result = 0;
  while (result + 1 < weights_.size() && left >= weights_[result])
    left -= weights_[result++];
  return result;
}

rule::live_trial& rule::known(trial_id trial) {
  auto [i, fresh] = live_.try_emplace(trial);
  if (fresh)
    i->second.bracket = draw_bracket(trial);
  return i->second;
}

std::uint32_t& rule::passed(trial_id trial) {
  if (passed_.size() <= trial.number)
    passed_.resize(trial.number + 1);
  return passed_[trial.number];
}

void rule::see(sequence cause, const fact::result& what) {
  if (std::isnan(what.time) || what.scores.empty())
    return;
  auto& trial = known(what.trial);
  if (trial.is_stopped())
    return;
  auto visit = brackets_[trial.bracket].visit(what.time, what.scores.front(), passed(what.trial));
  if (settings_.stop_last_trials && what.time >= settings_.max_t)
    trial.verdicts.push_back({cause, true, std::nullopt, what.time});
  else if (visit)
    trial.verdicts.push_back({cause, visit->is_below(), visit, what.time});
}

void rule::see_end(const fact::ended& what) {
  auto is_news = what.how == fact::end_kind::completed && !what.judged && !what.scores.empty()
                 && !std::isnan(what.time);
  if (is_news) {
    auto& trial = known(what.trial);
    if (!trial.is_stopped())
      brackets_[trial.bracket].visit(what.time, what.scores.front(), passed(what.trial));
  }
  live_.erase(what.trial);
}

void rule::settle(const decision& what) {
  for (const auto& x : what.actions) {
    auto live = live_.find(x.trial);
    if (live == live_.end())
      continue;
    // A stop stays: the trial may fail before it takes effect, and come back.
    std::erase_if(live->second.verdicts,
                  [&](const verdict& y) { return !y.stops && y.cause == what.cause; });
  }
}

object rule::facts_of(const live_trial& trial, const verdict& what) const {
  object result{{"rule", "asha"}};
  // A difference, so that 0 stays 0.
  auto as_reported = [this](double score) { return maximise_ ? score : 0.0 - score; };
  if (!what.at) {
    result.set("max_t", plain(settings_.max_t));
    result.set("time", plain(what.time));
    result.set("why", "reached max_t");
    return result;
  }
  result.set("bracket", static_cast<std::int64_t>(trial.bracket));
  result.set("rung", plain(what.at->milestone));
  if (what.at->cutoff)
    result.set("cutoff", as_reported(*what.at->cutoff));
  result.set("value", as_reported(what.at->score));
  result.set("recorded", static_cast<std::int64_t>(what.at->recorded));
  if (what.stops) {
    // The value that was judged: the trial's best, which is shown beside it, may be another.
    auto measure = settings_.time_attr == "training_iteration" ? "iteration" : settings_.time_attr;
    result.set("why", to_text(plain(as_reported(what.at->score))) + " at " + measure + " "
                          + to_text(plain(what.time)) + (maximise_ ? " is below" : " is above")
                          + " the cutoff " + to_text(plain(as_reported(*what.at->cutoff)))
                          + " of rung " + to_text(plain(what.at->milestone)));
  }
  return result;
}

} // namespace tune::asha
