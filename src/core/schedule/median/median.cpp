// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/schedule/median/median.hpp"

#include "tune/core/schedule/wording.hpp"

#include <cmath>
#include <utility>

namespace tune::median {

median_scheduler::median_scheduler(settings what, bool maximise)
    : settings_{std::move(what)}, maximise_{maximise}, averages_{settings_.grace_period} {}

scheduler_traits median_scheduler::traits() const {
  scheduler_traits result;
  result.time_attr = settings_.time_attr;
  // With hard stops, trials that cannot save just never pause to make room for others.
  result.needs_checkpoints = !settings_.hard_stop;
  result.prompt = true;
  return result;
}

void median_scheduler::apply(const scheduler_fact& what) {
  queue_.apply(what);
  struct visitor {
    median_scheduler& self;
    sequence seq;
    void operator()(const fact::added& x) { self.add(x); }
    void operator()(const fact::started& x) { self.set_running(x.trial, true); }
    void operator()(const fact::result& x) { self.see(seq, x); }
    void operator()(const fact::paused& x) { self.set_running(x.trial, false); }
    void operator()(const fact::unpaused& x) { self.set_running(x.trial, false); }
    void operator()(const fact::failed& x) { self.set_running(x.trial, false); }
    void operator()(const fact::ended& x) { self.see_end(x); }
    void operator()(const fact::decided& x) { self.settle(x.what); }
    void operator()(const fact::saved&) {}
    void operator()(const fact::chosen&) {}
    void operator()(const fact::node_up&) {}
    void operator()(const fact::node_down&) {}
  };
  std::visit(visitor{*this, what.seq}, what.what);
}

decision median_scheduler::judge(sequence cause, trial_id trial) const {
  auto live = live_.find(trial);
  const auto* found = live == live_.end() ? nullptr : live->second.about(cause);
  if (found == nullptr)
    return {cause, {{trial, go_on{}, {}}}};
  if (found->what == kind::stops)
    return {cause, {{trial, stop{}, found->facts}}};
  return {cause, {{trial, pause_trial{}, found->facts}}};
}

choice median_scheduler::choose(sequence at, std::uint32_t count) const {
  return queue_.first(at, count);
}

decision median_scheduler::on_stall(sequence at) const {
  return queue_.end_paused(at, "median_stopping");
}

std::string median_scheduler::outline() const {
  std::size_t behind = 0;
  for (const auto& [trial, x] : live_)
    behind += x.judged ? 1 : 0;
  return "median_stopping: " + std::to_string(averages_.size()) + " courses, "
         + std::to_string(live_.size()) + " trials left, " + std::to_string(behind)
         + " of them fell behind";
}

void median_scheduler::describe(fingerprint& into) const {
  averages_.describe(into);
  into.add(std::uint64_t{live_.size()}).add(std::uint64_t{running_});
  for (const auto& [trial, x] : live_) {
    into.add(trial).add(std::uint64_t{x.running}).add(std::uint64_t{x.judged}).add(x.last_pause);
    into.add(x.results);
    into.add(std::uint64_t{x.verdicts.size()});
    for (const auto& y : x.verdicts)
      into.add(y.cause).add(std::uint64_t{static_cast<std::uint8_t>(y.what)}).add(y.facts);
  }
  queue_.describe(into);
}

const median_scheduler::verdict* median_scheduler::live_trial::about(sequence cause) const {
  for (const auto& x : verdicts) {
    if (x.cause == cause || (x.what == kind::stops && x.cause < cause))
      return &x;
  }
  return nullptr;
}

void median_scheduler::add(const fact::added& what) {
  if (what.from_scratch && !settings_.heeds_no_clients)
    averages_.forget(what.trial);
  set_running(what.trial, false);
}

void median_scheduler::set_running(trial_id trial, bool runs) {
  auto& x = live_[trial];
  running_ += runs ? 1 : 0;
  running_ -= x.running ? 1 : 0;
  x.running = runs;
}

void median_scheduler::see(sequence cause, const fact::result& what) {
  auto& trial = live_[what.trial];
  if (std::isnan(what.time) || what.scores.empty() || trial.judged)
    return;
  ++trial.results;
  averages_.add(what.trial, what.time, what.scores.front());
  if (what.time < settings_.grace_period)
    return;
  auto with = averages_.at(what.trial, what.time);
  if (with.count < settings_.min_samples_required) {
    auto others_wait = live_.size() > running_ + (trial.running ? 0 : 1);
    if (others_wait && what.time - trial.last_pause > settings_.min_time_slice) {
      trial.last_pause = what.time;
      trial.verdicts.push_back(yielding(cause, what.time, with));
    }
    return;
  }
  auto best = averages_.best(what.trial);
  // A first NaN may be an accident of the start.
  auto is_spared = settings_.spares_numberless || trial.results < 2;
  if (best ? !(*best < with.median) : is_spared)
    return;
  trial.judged = true;
  trial.verdicts.push_back(behind(cause, what.time, best, with));
}

void median_scheduler::see_end(const fact::ended& what) {
  auto is_news = what.how == fact::end_kind::completed && !what.judged && !what.scores.empty()
                 && !std::isnan(what.time);
  if (is_news)
    averages_.add(what.trial, what.time, what.scores.front());
  set_running(what.trial, false);
  live_.erase(what.trial);
}

void median_scheduler::settle(const decision& what) {
  for (const auto& x : what.actions) {
    auto live = live_.find(x.trial);
    if (live == live_.end())
      continue;
    // A stop is kept: the trial may fail before it takes effect, and come back.
    std::erase_if(live->second.verdicts,
                  [&](const verdict& y) { return y.what != kind::stops && y.cause == what.cause; });
  }
}

median_scheduler::verdict median_scheduler::behind(sequence cause, double time,
                                                   std::optional<double> best,
                                                   const others& with) const {
  auto value = as_reported(best.value_or(std::nan("")), maximise_);
  auto median = as_reported(with.median, maximise_);
  object facts{{"rule", "median_stopping"}};
  facts.set("time", plain(time));
  facts.set("value", value);
  facts.set("median", median);
  facts.set("compared", static_cast<std::int64_t>(with.count));
  auto [shown, limit] = told_apart(value, median);
  auto found = best ? "its best, " + shown + ", is" + (maximise_ ? " below " : " above ") + limit
                    : "no value of it was a number, which is worse than " + brief(median);
  facts.set("why", found + ", the median of " + std::to_string(with.count)
                       + (with.count == 1 ? " other's" : " others'") + " averages up to "
                       + moment(settings_.time_attr, time));
  return {cause, settings_.hard_stop ? kind::stops : kind::rests, std::move(facts)};
}

median_scheduler::verdict median_scheduler::yielding(sequence cause, double time,
                                                     const others& with) const {
  object facts{{"rule", "median_stopping"}};
  facts.set("time", plain(time));
  facts.set("compared", static_cast<std::int64_t>(with.count));
  facts.set("required", static_cast<std::int64_t>(settings_.min_samples_required));
  facts.set("why", "lets others catch up: " + std::to_string(with.count) + " of the "
                       + std::to_string(settings_.min_samples_required) + " required have reached "
                       + moment(settings_.time_attr, time) + " with a number");
  return {cause, kind::yields, std::move(facts)};
}

} // namespace tune::median
