// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/schedule/resource_changing/resource_changing.hpp"

#include "tune/core/schedule/refusals.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace tune::resource_changing {

namespace {

constexpr std::string_view own_name = "resource_changing";

bool is_own(const action& what) {
  const auto* rule = what.reason.find("rule");
  return rule != nullptr && rule->as_string() != nullptr && *rule->as_string() == own_name;
}

/// Whether the judged trial simply goes on.
bool lets_go_on(const decision& answer, trial_id trial) {
  return std::all_of(answer.actions.begin(), answer.actions.end(), [&](const action& x) {
    return x.trial != trial || std::holds_alternative<go_on>(x.what)
           || std::holds_alternative<annotate>(x.what);
  });
}

void append(decision& to, const std::vector<action>& what) {
  to.actions.insert(to.actions.end(), what.begin(), what.end());
}

/// @param by Actions instead of going on; empty: the trial goes on.
void replace_go_on(decision& answer, trial_id trial, const std::vector<action>& by) {
  if (by.empty())
    return;
  std::erase_if(answer.actions, [&](const action& x) {
    return x.trial == trial && std::holds_alternative<go_on>(x.what);
  });
  append(answer, by);
}

/// Part of a verdict that the base is told: its own actions, in order, with adjusted indices.
fact::decided part_of_base(const fact::decided& what) {
  fact::decided result;
  result.what.cause = what.what.cause;
  for (std::size_t i = 0; i < what.what.actions.size(); ++i) {
    const auto& x = what.what.actions[i];
    if (is_own(x) && !std::holds_alternative<pause_trial>(x.what))
      continue;
    if (is_refused(what, i))
      result.refused.push_back(static_cast<std::uint32_t>(result.what.actions.size()));
    // The base had let the trial go on.
    result.what.actions.push_back(is_own(x) ? action{x.trial, go_on{}, {}} : x);
  }
  return result;
}

standing place_of(trial_id trial, const std::optional<double>& score) {
  auto is_known = score && !std::isnan(*score);
  return {is_known, is_known ? *score : 0, trial};
}

} // namespace

resource_changing_scheduler::resource_changing_scheduler(std::unique_ptr<scheduler> base,
                                                         allocation how, resource_request request)
    : base_{std::move(base)}, how_{std::move(how)} {
  if (request.bundles.empty())
    request.bundles.emplace_back();
  first_ = std::make_shared<const resource_request>(std::move(request));
}

scheduler_traits resource_changing_scheduler::traits() const {
  auto result = base_->traits();
  // A trial that waits for a large node must not hold up all others; with more than 2, new trials
  // would overtake those that return.
  result.choose_ahead = std::min(result.choose_ahead, 2u);
  result.needs_checkpoints = true;
  result.judges = true;
  return result;
}

void resource_changing_scheduler::apply(const scheduler_fact& what) {
  if (const auto* decided = std::get_if<fact::decided>(&what.what))
    base_->apply({what.seq, what.at, part_of_base(*decided)});
  else
    base_->apply(what);
  std::visit([this](const auto& x) { see(x); }, what.what);
}

decision resource_changing_scheduler::judge(sequence cause, trial_id trial) const {
  auto result = base_->judge(cause, trial);
  if (lets_go_on(result, trial))
    replace_go_on(result, trial, change_of(trial));
  append(result, misfits_shrunk());
  return result;
}

deferred_decision resource_changing_scheduler::judge_later(sequence cause, trial_id trial) const {
  auto base = base_->judge_later(cause, trial);
  if (!base)
    return {};
  return [base, trial, change = change_of(trial), shrunk = misfits_shrunk()] {
    auto result = base();
    if (lets_go_on(result, trial))
      replace_go_on(result, trial, change);
    append(result, shrunk);
    return result;
  };
}

choice resource_changing_scheduler::choose(sequence at, std::uint32_t count) const {
  choice result{at, {}};
  for (auto i = returning_.begin(); i != returning_.end() && result.start.size() < count; ++i) {
    if (!misfits_.contains(*i))
      result.start.push_back(*i);
  }
  auto own = result.start.size();
  if (own == count)
    return result;
  auto passed_over = static_cast<std::uint32_t>(own + misfits_.size());
  for (auto trial : base_->choose(at, count + passed_over).start) {
    auto is_there = std::find(result.start.begin(), result.start.end(), trial);
    if (result.start.size() < count && is_there == result.start.end() && !misfits_.contains(trial))
      result.start.push_back(trial);
  }
  return result;
}

decision resource_changing_scheduler::on_stall(sequence at) const {
  decision result{at, misfits_shrunk()};
  for (auto trial : left_)
    result.actions.push_back(
        {trial, allow{}, {{"rule", own_name}, {"why", "it was paused for other resources"}}});
  return result.actions.empty() ? base_->on_stall(at) : result;
}

std::string resource_changing_scheduler::outline() const {
  return base_->outline();
}

void resource_changing_scheduler::describe(fingerprint& into) const {
  base_->describe(into);
  into.add(std::uint64_t{offers_.size()});
  for (const auto& [node, x] : offers_)
    into.add(std::string_view{node}).add(std::string_view{to_text(x)});
  into.add(std::uint64_t{live_.size()});
  for (const auto& [trial, x] : live_) {
    into.add(trial).add(std::string_view{to_text(*x.wants)}).add(std::uint64_t{x.changes});
    into.add(std::string_view{x.has ? to_text(*x.has) : ""}).add(x.score.value_or(0));
    into.add(std::uint64_t{x.score.has_value()});
  }
  into.add(std::uint64_t{courses_.size()});
  for (const auto& [trial, x] : courses_)
    into.add(trial)
        .add(std::uint64_t{x.is_told})
        .add(std::string_view{x.in_vain ? to_text(*x.in_vain) : ""});
  for (const auto* some : {&returning_, &left_, &misfits_}) {
    into.add(std::uint64_t{some->size()});
    for (auto trial : *some)
      into.add(trial);
  }
}

template <class Change>
void resource_changing_scheduler::alter(trial_id trial, Change change) {
  auto i = live_.find(trial);
  if (i == live_.end())
    return;
  used_ -= sum_of(*i->second.counted());
  change(i->second);
  used_ += sum_of(*i->second.counted());
  sort_in(trial);
}

/// Notes whether the trial waits for resources that it cannot have.
void resource_changing_scheduler::sort_in(trial_id trial) {
  auto i = live_.find(trial);
  auto waits = i != live_.end() && !i->second.has && *i->second.wants != *first_;
  if (!waits) {
    changed_.erase(trial);
    misfits_.erase(trial);
    return;
  }
  changed_.insert(trial);
  if (!fits(*i->second.wants) && fits(*first_))
    misfits_.insert(trial);
  else
    misfits_.erase(trial);
}

void resource_changing_scheduler::know(trial_id trial) {
  auto [i, is_new] = live_.try_emplace(trial);
  if (!is_new)
    return;
  i->second.wants = first_;
  used_ += sum_of(*first_);
  ranking_.insert(place_of(trial, {}));
}

void resource_changing_scheduler::forget(trial_id trial) {
  auto i = live_.find(trial);
  if (i == live_.end())
    return;
  used_ -= sum_of(*i->second.counted());
  ranking_.erase(place_of(trial, i->second.score));
  live_.erase(i);
  courses_.erase(trial);
  returning_.erase(trial);
  left_.erase(trial);
  sort_in(trial);
}

void resource_changing_scheduler::see(const fact::added& what) {
  know(what.trial);
  alter(what.trial, [](member& x) {
    x.has = nullptr;
    x.changes = false;
  });
  courses_.erase(what.trial);
  returning_.erase(what.trial);
  left_.erase(what.trial);
}

void resource_changing_scheduler::see(const fact::started& what) {
  know(what.trial);
  alter(what.trial, [](member& x) {
    x.has = x.wants;
    x.changes = false;
  });
  courses_.erase(what.trial);
  returning_.erase(what.trial);
  left_.erase(what.trial);
}

void resource_changing_scheduler::see(const fact::result& what) {
  auto i = live_.find(what.trial);
  if (i == live_.end())
    return;
  if (!what.scores.empty()) {
    ranking_.erase(place_of(what.trial, i->second.score));
    i->second.score = what.scores.front();
    ranking_.insert(place_of(what.trial, i->second.score));
  }
  if (!i->second.changes)
    return;
  // The trial trains on: the pause failed.
  courses_[what.trial].in_vain = i->second.wants;
  alter(what.trial, [](member& x) { x.changes = false; });
}

void resource_changing_scheduler::see(const fact::paused& what) {
  auto known = courses_.find(what.trial);
  if (known != courses_.end() && known->second.is_told)
    returning_.insert(what.trial);
  courses_.erase(what.trial);
  alter(what.trial, [](member& x) {
    x.has = nullptr;
    x.changes = false;
  });
}

void resource_changing_scheduler::see(const fact::unpaused& what) {
  // The scheduler that resumed it also names it.
  returning_.erase(what.trial);
  left_.erase(what.trial);
}

void resource_changing_scheduler::see(const fact::chosen& what) {
  for (auto trial : what.what.start) {
    if (returning_.erase(trial) > 0 && is_refused(what, trial))
      left_.insert(trial);
  }
}

void resource_changing_scheduler::see(const fact::ended& what) {
  forget(what.trial);
}

void resource_changing_scheduler::see(const fact::decided& what) {
  for (std::size_t i = 0; i < what.what.actions.size(); ++i) {
    if (!is_refused(what, i))
      settle(what.what.actions[i]);
  }
}

void resource_changing_scheduler::settle(const action& what) {
  auto i = live_.find(what.trial);
  if (i == live_.end())
    return;
  if (const auto* given = std::get_if<set_resources>(&what.what)) {
    auto wants = given->request;
    // The placement policy is not part of the record; it is the same for all trials.
    wants.policy = first_->policy;
    alter(what.trial,
          [&](member& x) { x.wants = std::make_shared<const resource_request>(std::move(wants)); });
  } else if (std::holds_alternative<pause_trial>(what.what)) {
    if (is_own(what))
      courses_[what.trial].is_told = true;
    else
      courses_.erase(what.trial);
    alter(what.trial, [&](member& x) { x.changes = is_own(what) && x.has != nullptr; });
  }
}

void resource_changing_scheduler::see(const fact::node_up& what) {
  nodes_.set_node(what.node, what.capacity);
  offers_[what.node] = what.capacity;
  note_nodes();
}

void resource_changing_scheduler::see(const fact::node_down& what) {
  nodes_.remove_node(what.node);
  offers_.erase(what.node);
  note_nodes();
}

void resource_changing_scheduler::note_nodes() {
  total_ = nodes_.total();
  for (auto trial : std::set<trial_id>{changed_})
    sort_in(trial);
}

resource_request resource_changing_scheduler::allocate(trial_id trial) const {
  const std::function<bool(const resource_request&)> could_be
      = [this](const resource_request& x) { return fits(x); };
  auto result = how_({trial, *first_, total_, used_, live_, ranking_, could_be});
  result.policy = first_->policy;
  return result;
}

/// Actions that replace going on in order to change resources; empty: the trial keeps what it has.
std::vector<action> resource_changing_scheduler::change_of(trial_id trial) const {
  auto i = live_.find(trial);
  if (i == live_.end() || !i->second.has || i->second.changes || offers_.empty())
    return {};
  const auto& has = *i->second.has;
  auto gets = allocate(trial);
  if (gets == has || !fits(gets))
    return {};
  auto known = courses_.find(trial);
  if (known != courses_.end() && known->second.in_vain && *known->second.in_vain == gets)
    return {};
  object reason{{"rule", own_name}, {"had", to_text(has)}, {"gets", to_text(gets)}};
  reason.set("live", static_cast<std::int64_t>(live_.size()));
  reason.set("why", "goes on with " + to_text(gets) + " instead of " + to_text(has));
  return {{trial, pause_trial{}, reason},
          {trial, set_resources{std::move(gets)}, std::move(reason)}};
}

std::vector<action> resource_changing_scheduler::misfits_shrunk() const {
  std::vector<action> result;
  for (auto trial : misfits_) {
    auto gets = allocate(trial);
    if (!fits(gets))
      gets = *first_;
    auto wanted = to_text(*live_.at(trial).wants);
    object reason{{"rule", own_name}, {"had", wanted}, {"gets", to_text(gets)}};
    reason.set("live", static_cast<std::int64_t>(live_.size()));
    reason.set("why", "no node could grant " + wanted + " any more");
    result.push_back({trial, set_resources{std::move(gets)}, std::move(reason)});
  }
  return result;
}

} // namespace tune::resource_changing
