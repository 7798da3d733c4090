/// Shared helpers of the tests that are named after lines of docs/ray-behaviours.md.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "support/run_by_hand.hpp"
#include "support/toy_scheduler.hpp"
#include "support/world.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace tune {

using enum trial_status;

/// An experiment driven by hand, or a simulated one.
struct behaviours : testing::Test, support::run_by_hand {
  static std::unique_ptr<scheduler> oblige() {
    return std::make_unique<support::obliging_scheduler>();
  }
  /// Options for a simulated experiment whose messages arrive in the order in which they were sent.
  static support::world_options calm(std::uint64_t trials, std::uint64_t iterations) {
    support::world_options result;
    result.trials = trials;
    result.iterations = iterations;
    result.most_delay = 0;
    return result;
  }
  /// Options for nodes with these names and `each` as resources.
  static simulation_options nodes(const std::vector<std::string>& names, const resources& each) {
    simulation_options result;
    for (const auto& x : names)
      result.nodes.push_back({x, each});
    result.lost_after = std::chrono::seconds{1};
    result.keeps_commands = true;
    return result;
  }
  static resources cpus(double count) {
    resources result;
    result.cpu = amount::of(count);
    return result;
  }
  /// A simulation whose trials take up to 10 ms per iteration.
  static simulation simulated(simulation_options how, experiment_settings settings,
                              std::uint64_t trials, std::uint64_t iterations) {
    if (settings.request.bundles.empty())
      settings.request.bundles = {cpus(1)};
    support::world_options rules;
    rules.trials = trials;
    return {std::move(how), std::move(settings), support::rules_of(rules, oblige),
            std::make_shared<support::falling_loss>(1, iterations, std::chrono::milliseconds{10})};
  }

  static std::uint64_t count_of(const simulation& x, trial_status status) {
    return x.machine().view().counts[static_cast<std::size_t>(status)];
  }
  template <class Event>
  static std::vector<Event> all_of(const simulation& from) {
    std::vector<Event> result;
    for (const auto& x : from.log()) {
      if (const auto* found = std::get_if<Event>(&x.what))
        result.push_back(*found);
    }
    return result;
  }
  template <class Command>
  static std::vector<Command> carried(const simulation& from) {
    std::vector<Command> result;
    for (const auto& x : from.carried()) {
      if (const auto* found = std::get_if<Command>(&x.what))
        result.push_back(*found);
    }
    return result;
  }
  /// Runs until the condition holds or nothing more happens. @returns whether the condition holds.
  template <class Condition>
  static bool run_until(simulation& x, Condition holds) {
    while (!holds() && !x.finished() && x.found().empty())
      x.run(x.log().size() + 1);
    return holds();
  }
  /// The first finding as text; empty if there is none.
  static std::string wrong(const simulation& x) {
    auto found = x.check();
    return found.empty() ? std::string{} : to_text(found.kept().front());
  }

  void forgive(end_class what, std::uint32_t times) {
    settings.failures.budget[static_cast<std::size_t>(what)] = times;
    settings.failures.max_consecutive_failures = 0;
  }
  /// Answers the latest ask: the searcher is exhausted.
  void exhaust() {
    post(
        on::suggested{ports.all<cmd::ask_searcher>().back().what.number, exhausted{"all are out"}});
  }
  /// How many of a trial's observations have the outcome `how`.
  [[nodiscard]] std::size_t observed_as(outcome how, trial_id trial = zero) const {
    std::size_t result = 0;
    for (const auto& x : ports.observed(trial))
      result += x.how == how ? 1 : 0;
    return result;
  }
  /// Answers the latest judgement with an action on `trial`, which may not be the judged trial.
  void decide_on(trial_id trial, action_body what) {
    post(on::decided{{{ports.all<cmd::judge>().back().cause, {{trial, std::move(what), {}}}}}});
  }
  /// How many actions of the scheduler's last answer were refused.
  [[nodiscard]] std::size_t refused() const {
    std::size_t result = 0;
    for (const auto& x : ports.all<cmd::tell_scheduler>()) {
      if (const auto* told = std::get_if<fact::decided>(&x.what.what))
        result = told->refused.size();
    }
    return result;
  }
};

} // namespace tune
