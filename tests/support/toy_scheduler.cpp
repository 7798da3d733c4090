// SPDX-License-Identifier: BSD-3-Clause
#include "support/toy_scheduler.hpp"

#include <algorithm>
#include <iterator>

namespace tune::support {

namespace {

template <class Set>
auto pick(const Set& from, rng& draw) {
  return *std::next(from.begin(), static_cast<std::ptrdiff_t>(draw.below(from.size())));
}

} // namespace

void toy_scheduler::forget(trial_id trial) {
  queue_.erase(trial);
  running_.erase(trial);
  paused_.erase(trial);
}

void toy_scheduler::apply(const scheduler_fact& what) {
  if (const auto* x = std::get_if<fact::added>(&what.what)) {
    forget(x->trial);
    queue_.insert(x->trial);
    configs_[x->trial] = x->config;
  } else if (const auto* began = std::get_if<fact::started>(&what.what)) {
    forget(began->trial);
    running_.insert(began->trial);
  } else if (const auto* result = std::get_if<fact::result>(&what.what)) {
    scores_[result->trial] = result->scores.front();
  } else if (const auto* rests = std::get_if<fact::paused>(&what.what)) {
    forget(rests->trial);
    paused_.insert(rests->trial);
  } else if (const auto* back = std::get_if<fact::unpaused>(&what.what)) {
    forget(back->trial);
    queue_.insert(back->trial);
  } else if (const auto* kept = std::get_if<fact::saved>(&what.what)) {
    checkpoints_[kept->trial] = kept->checkpoint;
  } else if (const auto* failed = std::get_if<fact::failed>(&what.what)) {
    forget(failed->trial);
  } else if (const auto* over = std::get_if<fact::ended>(&what.what)) {
    forget(over->trial);
    configs_.erase(over->trial);
    scores_.erase(over->trial);
  } else if (const auto* said = std::get_if<fact::decided>(&what.what)) {
    refusals_ += said->refused.size();
  } else if (const auto* chose = std::get_if<fact::chosen>(&what.what)) {
    refusals_ += chose->refused.size();
    for (auto id : chose->what.start) {
      // A refused trial may be startable later, so it keeps its place.
      if (std::find(chose->refused.begin(), chose->refused.end(), id) == chose->refused.end())
        queue_.erase(id);
    }
  }
}

decision toy_scheduler::judge(sequence cause, trial_id trial) const {
  rng draw{seed_, "toy", cause};
  auto u = draw.unit();
  object why{{"rule", "toy"}, {"draw", u}};
  decision result{cause, {}};
  if (u < 0.15) {
    result.actions.push_back({trial, pause_trial{}, why});
  } else if (u < 0.2) {
    result.actions.push_back({trial, stop{}, why});
  } else if (u < 0.3 && !paused_.empty()) {
    result.actions.push_back({pick(paused_, draw), allow{}, why});
    result.actions.push_back({trial, go_on{}, {}});
  } else if (u < 0.4 && !checkpoints_.empty() && configs_.contains(trial)) {
    auto [donor, from] = pick(checkpoints_, draw);
    result.actions.push_back({trial, exploit{donor, from, configs_.at(trial)}, why});
  } else if (u < 0.45 && !running_.empty()) {
    result.actions.push_back({pick(running_, draw), pause_trial{}, why});
  } else if (u < 0.5 && !configs_.empty()) {
    result.actions.push_back({pick(configs_, draw).first, stop{}, why});
  } else if (u < 0.6) {
    result.actions.push_back({trial, save{}, why});
  } else if (u < 0.65) {
    // No action for the judged trial, which then goes on.
  } else if (u < 0.7) {
    result.actions.push_back({trial, annotate{why}, {}});
    result.actions.push_back({trial, go_on{scores_.contains(trial) ? 3u : 0u}, {}});
  } else {
    result.actions.push_back({trial, go_on{}, {}});
  }
  return result;
}

choice toy_scheduler::choose(sequence at, std::uint32_t count) const {
  choice result{at, {}};
  for (auto id : queue_) {
    if (result.start.size() < count)
      result.start.push_back(id);
  }
  return result;
}

decision toy_scheduler::on_stall(sequence at) const {
  decision result{at, {}};
  rng draw{seed_, "toy.stall", at};
  for (auto id : paused_) {
    if (draw.unit() < 0.5)
      result.actions.push_back({id, allow{}, {}});
    else
      result.actions.push_back({id, stop{}, object{{"why", "not promoted"}}});
  }
  return result;
}

void toy_scheduler::describe(fingerprint& into) const {
  for (const auto* group : {&queue_, &running_, &paused_}) {
    into.add(std::uint64_t{group->size()});
    for (auto id : *group)
      into.add(id);
  }
  for (const auto& [trial, from] : checkpoints_)
    into.add(trial).add(from);
  for (const auto& [trial, score] : scores_)
    into.add(trial).add(score);
  into.add(std::uint64_t{configs_.size()}).add(refusals_);
}

} // namespace tune::support
