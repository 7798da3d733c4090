// SPDX-License-Identifier: BSD-3-Clause
#include "support/world.hpp"

#include <utility>

namespace tune::support {

using std::chrono::milliseconds;

void counting_searcher::apply(const searcher_fact& what) {
  if (const auto* x = std::get_if<suggested_fact>(&what.what)) {
    const auto* list = std::get_if<std::vector<suggestion>>(&x->what);
    for (std::size_t i = 0; list != nullptr && i < list->size(); ++i)
      // The replacement of a draft has the draft's number and does not count again.
      made_ += known_.insert({x->first.number + i}).second ? 1 : 0;
  } else {
    ++heard_;
    ended_ += std::get<observation>(what.what).how == outcome::running ? 0 : 1;
  }
}

/// Every third draft is good enough; the others are replaced.
proposal counting_searcher::think_over(trial_id draft) const {
  if (draft.number % 3 == 0)
    return nothing_yet{};
  auto x = static_cast<std::int64_t>(draft.number);
  return std::vector<suggestion>{
      {std::make_shared<object>(object{{"x", x}, {"heard", static_cast<std::int64_t>(ended_)}}),
       "thought over"}};
}

proposal counting_searcher::propose(const ask& question) const {
  if (question.trial)
    return think_over(*question.trial);
  if (made_ == count_)
    return exhausted{"all are out"};
  // Every fifth question is answered `nothing_yet`, provided that another trial can still end and
  // change that.
  if (question.number % 5 == 4 && heard_ % 2 == 1 && ended_ < made_)
    return nothing_yet{};
  std::vector<suggestion> result;
  for (auto i = made_; i < count_ && result.size() < question.count; ++i)
    result.push_back({std::make_shared<object>(object{{"x", static_cast<std::int64_t>(i)}}),
                      "count", question.drafts != drafting::none && i % 2 == 1});
  return result;
}

simulated_step falling_loss::next(trial_id trial, const config_ptr&, std::uint64_t done) {
  if (done >= iterations_)
    return {};
  auto takes = instant{0};
  if (most_time_.count() > 0) {
    rng draw{seed_, "falling loss", trial.number * iterations_ + done};
    takes = instant{draw.below(static_cast<std::uint64_t>(most_time_.count()) + 1)};
  }
  auto loss = 1.0 / static_cast<double>(done + 1 + trial.number);
  return {object{{"loss", loss}}, takes};
}

namespace {

simulation_options options_of(const world_options& how) {
  simulation_options result;
  result.seed = how.seed;
  resources slots;
  slots.cpu = amount::of(static_cast<double>(how.slots));
  result.nodes.push_back({"here", slots});
  if (how.helpers)
    result.nodes.push_back({"there", slots});
  result.most_delay = milliseconds{how.most_delay};
  result.faults.failure = how.failure;
  result.faults.save_failure = how.save_failure;
  result.faults.doubled = how.doubled;
  result.faults.torn = how.torn;
  result.faults.reordered = how.most_delay > 0 ? 0.3 : 0;
  result.keeps_commands = true;
  result.hashes = true;
  return result;
}

experiment_settings settings_with_slots(experiment_settings result, bool helpers) {
  resources slot;
  slot.cpu = amount::of(1);
  result.request.bundles.assign(helpers ? 2 : 1, slot);
  if (helpers)
    result.request.placement = resource_request::strategy::strict_spread;
  return result;
}

} // namespace

simulation::make_rules rules_of(const world_options& how, world::make_scheduler maker) {
  return [how, maker = std::move(maker)] {
    return rule_set{maker(), std::make_unique<counting_searcher>(how.trials, how.ahead), {}};
  };
}

world::world(const world_options& how, experiment_settings settings, make_scheduler maker)
    : simulation{
        options_of(how), settings_with_slots(std::move(settings), how.helpers),
        rules_of(how, std::move(maker)),
        std::make_shared<falling_loss>(how.seed, how.iterations, milliseconds{how.most_delay})} {}

std::string world::violation() const {
  return found().empty() ? std::string{} : to_text(found().kept().front());
}

std::vector<std::uint64_t> replay_hashes(const std::vector<event>& log, const world_options& how,
                                         const experiment_settings& settings,
                                         const world::make_scheduler& maker) {
  replay_check uut{settings_with_slots(settings, how.helpers), rules_of(how, maker)()};
  std::vector<std::uint64_t> result;
  for (const auto& x : log) {
    uut.apply(x);
    result.push_back(uut.digest());
  }
  return result;
}

} // namespace tune::support
