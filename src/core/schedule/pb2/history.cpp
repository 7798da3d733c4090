// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/schedule/pb2/history.hpp"

#include <cmath>

namespace tune::pb2 {

namespace {

void describe_point(fingerprint& into, const point& what) {
  into.add(std::uint64_t{what.size()});
  for (auto x : what)
    into.add(x);
}

} // namespace

void history::reach(trial_id trial, mark what) {
  if (!std::isfinite(what.time))
    return;
  if (!newest_ || what.time > *newest_) {
    newest_ = what.time;
    chosen_.clear();
  }
  auto [known, is_new] = courses_.try_emplace(trial);
  auto& [last, made] = known->second;
  auto passed = what.time - last.time;
  auto gain = (what.score - last.score) / passed;
  if (!is_new && last.at == what.at && passed > 0 && std::isfinite(gain)) {
    made = {what.time, last.score};
    stretches_.emplace(std::tuple{what.time, trial, ++arrivals_},
                       stretch{what.time, last.score, what.at, gain});
    if (stretches_.size() > most_stretches)
      stretches_.erase(stretches_.begin());
  }
  last = std::move(what);
}

void history::take_over(trial_id trial, mark what) {
  chosen_.push_back(what.at);
  courses_[trial] = {std::move(what), std::nullopt};
}

void history::forget(trial_id trial) {
  courses_.erase(trial);
}

std::vector<stretch> history::stretches() const {
  std::vector<stretch> result;
  result.reserve(stretches_.size());
  for (const auto& [when, x] : stretches_)
    result.push_back(x);
  return result;
}

std::optional<std::pair<double, double>> history::last_of(trial_id trial) const {
  auto known = courses_.find(trial);
  return known == courses_.end() ? std::nullopt : known->second.stretch;
}

void history::describe(fingerprint& into) const {
  into.add(std::uint64_t{courses_.size()});
  for (const auto& [trial, x] : courses_) {
    into.add(trial).add(x.last.time).add(x.last.score);
    describe_point(into, x.last.at);
    into.add(std::uint64_t{x.stretch.has_value()});
    if (x.stretch)
      into.add(x.stretch->first).add(x.stretch->second);
  }
  into.add(arrivals_).add(std::uint64_t{stretches_.size()});
  for (const auto& [when, x] : stretches_) {
    const auto& [end, trial, arrival] = when;
    into.add(end).add(trial).add(arrival).add(x.before).add(x.gain);
    describe_point(into, x.at);
  }
  into.add(std::uint64_t{newest_.has_value()}).add(newest_.value_or(0));
  into.add(std::uint64_t{chosen_.size()});
  for (const auto& x : chosen_)
    describe_point(into, x);
}

} // namespace tune::pb2
