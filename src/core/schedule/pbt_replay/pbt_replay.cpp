// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/schedule/pbt_replay/pbt_replay.hpp"

#include "tune/core/schedule/refusals.hpp"
#include "tune/core/space/space.hpp"

#include <algorithm>
#include <memory>
#include <utility>

namespace tune::pbt_replay {

namespace {

constexpr auto name = "pbt_replay";

} // namespace

pbt_replay_scheduler::pbt_replay_scheduler(policy what) : policy_{std::move(what)} {}

scheduler_traits pbt_replay_scheduler::traits() const {
  scheduler_traits result;
  result.needs_checkpoints = true;
  result.prompt = true;
  return result;
}

void pbt_replay_scheduler::apply(const scheduler_fact& what) {
  struct visitor {
    pbt_replay_scheduler& self;
    sequence seq;
    void operator()(const fact::added& x) { self.add(x.trial); }
    void operator()(const fact::started& x) {
      if (self.is_mine(x.trial)) {
        self.now_ = whereabouts::away;
        self.runs_with_ = self.set_;
      }
    }
    void operator()(const fact::result& x) {
      if (self.is_mine(x.trial)) {
        self.cause_ = seq;
        self.iteration_ = x.iteration;
      }
    }
    void operator()(const fact::paused& x) {
      if (self.is_mine(x.trial))
        self.now_ = whereabouts::paused;
    }
    void operator()(const fact::unpaused& x) {
      if (self.is_mine(x.trial))
        self.now_ = whereabouts::pending;
    }
    void operator()(const fact::saved&) {}
    void operator()(const fact::failed&) {}
    void operator()(const fact::ended& x) { self.end(x.trial); }
    void operator()(const fact::decided& x) { self.settle(x); }
    void operator()(const fact::chosen& x) { self.leave(x); }
    void operator()(const fact::node_up&) {}
    void operator()(const fact::node_down&) {}
  };
  std::visit(visitor{*this, what.seq}, what.what);
}

void pbt_replay_scheduler::add(trial_id trial) {
  if (!trial_)
    trial_ = trial;
  if (is_mine(trial))
    now_ = whereabouts::pending;
  else
    others_.insert(trial);
}

void pbt_replay_scheduler::end(trial_id trial) {
  if (is_mine(trial))
    now_ = whereabouts::ended;
  others_.erase(trial);
}

void pbt_replay_scheduler::leave(const fact::chosen& what) {
  for (auto trial : what.what.start) {
    if (!is_mine(trial))
      continue;
    if (!is_refused(what, trial))
      now_ = whereabouts::away;
    else if (now_ == whereabouts::paused)
      now_ = whereabouts::refused;
  }
}

void pbt_replay_scheduler::settle(const fact::decided& what) {
  for (std::size_t i = 0; i < what.what.actions.size(); ++i) {
    const auto& x = what.what.actions[i];
    auto refused = is_refused(what, i);
    const auto* number = x.reason.find("step");
    if (!refused && is_mine(x.trial) && std::holds_alternative<reconfigure>(x.what)
        && number != nullptr && number->as_int() != nullptr)
      set_ = static_cast<std::uint64_t>(*number->as_int()) + 1;
  }
}

const object& pbt_replay_scheduler::config(std::uint64_t number) const {
  return number <= 1 ? policy_.first : policy_.steps[number - 2].config;
}

action pbt_replay_scheduler::change_to(std::uint64_t number) const {
  auto step = number - 1;
  object reason{{"rule", name},
                {"step", static_cast<std::int64_t>(step)},
                {"of", static_cast<std::int64_t>(policy_.steps.size())}};
  if (step == 0) {
    reason.set("why", "begins with the policy's first configuration");
  } else {
    auto at = policy_.steps[step - 1].iteration;
    reason.set("at", static_cast<std::int64_t>(at));
    reason.set("why", "step " + std::to_string(step) + " of the policy begins at iteration "
                          + std::to_string(at));
  }
  return {*trial_, reconfigure{std::make_shared<const object>(config(number))}, std::move(reason)};
}

decision pbt_replay_scheduler::judge(sequence cause, trial_id trial) const {
  if (!is_mine(trial) || cause != cause_)
    return {cause, {{trial, go_on{}, {}}}};
  auto reached = std::count_if(policy_.steps.begin(), policy_.steps.end(),
                               [this](const step& x) { return x.iteration <= iteration_; });
  auto wanted = static_cast<std::uint64_t>(reached) + 1;
  decision result{cause, {}};
  if (wanted > set_)
    result.actions.push_back(change_to(wanted));
  // If a pause failed, the trial still runs with its old configuration.
  if (wanted > runs_with_)
    result.actions.push_back(
        {trial, pause_trial{}, {{"rule", name}, {"why", "goes on with another configuration"}}});
  if (result.actions.empty())
    result.actions.push_back({trial, go_on{}, {}});
  return result;
}

choice pbt_replay_scheduler::choose(sequence at, std::uint32_t) const {
  // The trial waits for its first configuration: see `on_stall`.
  auto ready = set_ > 0 && (now_ == whereabouts::pending || now_ == whereabouts::paused);
  return {at, ready ? std::vector{*trial_} : std::vector<trial_id>{}};
}

decision pbt_replay_scheduler::on_stall(sequence at) const {
  decision result{at, {}};
  if (now_ == whereabouts::pending && set_ == 0)
    result.actions.push_back(change_to(1));
  else if (trial_ && now_ != whereabouts::ended)
    result.actions.push_back({*trial_, stop{}, {{"rule", name}, {"why", "not promoted"}}});
  for (auto other : others_)
    result.actions.push_back(
        {other, stop{}, {{"rule", name}, {"why", "a replay trains one trial"}}});
  return result;
}

void pbt_replay_scheduler::describe(fingerprint& into) const {
  into.add(trial_ ? trial_->number + 1 : 0).add(std::uint64_t{static_cast<std::uint8_t>(now_)});
  into.add(std::uint64_t{others_.size()});
  for (auto other : others_)
    into.add(other);
  into.add(cause_).add(iteration_).add(set_).add(runs_with_);
}

scheduler_catalogue::entry make_entry() {
  scheduler_catalogue::entry result;
  result.name = name;
  result.summary = "trains one trial by the schedule of configurations that PBT has found";
  result.source
      = "Ray Tune's PopulationBasedTrainingReplay; docs/ray-tune.md says where it differs";
  option_spec file;
  file.name = "policy_file";
  file.meaning = "file with the policy, as `trials DIR --policy TRIAL` prints it; a "
                 "relative path stands against the INI's directory";
  option_spec text;
  text.name = "policy";
  text.meaning = "the policy itself, where there is no file";
  result.known = {file, text};
  result.make = [](const options& from,
                   const scheduler_context& context) -> expected<std::unique_ptr<scheduler>> {
    auto what = read_policy(from.has("policy") ? from.text("policy") : "");
    if (!what)
      return what.error();
    auto reject = [&](const object& config, const std::string& where) -> std::optional<error> {
      auto why = context.space != nullptr ? context.space->reject(config, false) : std::nullopt;
      if (why)
        why->detail = "policy: " + where + ": " + why->detail;
      return why;
    };
    if (auto why = reject(what->first, "its first configuration"))
      return *why;
    for (std::size_t i = 0; i < what->steps.size(); ++i) {
      if (auto why = reject(what->steps[i].config, "step " + std::to_string(i + 1)))
        return *why;
    }
    return std::unique_ptr<scheduler>{std::make_unique<pbt_replay_scheduler>(std::move(*what))};
  };
  return result;
}

} // namespace tune::pbt_replay
