/// An engine whose surroundings are played by the test.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/experiment/engine.hpp"

#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace tune::support {

/// Ports that record what the engine does.
struct noting_ports : engine_ports {
  std::vector<event> log;
  std::vector<command> done;

  void record(const event& what) override { log.push_back(what); }
  void carry_out(const command& what) override { done.push_back(what); }

  template <class Command>
  [[nodiscard]] std::vector<Command> all() const {
    std::vector<Command> result;
    for (const auto& x : done) {
      if (const auto* found = std::get_if<Command>(&x.what))
        result.push_back(*found);
    }
    return result;
  }
  template <class Command>
  [[nodiscard]] Command last() const {
    return all<Command>().back();
  }
  /// Actions of the recorded decisions, in order.
  [[nodiscard]] std::vector<std::string> actions() const {
    std::vector<std::string> result;
    for (const auto& x : all<cmd::decision_taken>())
      result.push_back(x.action);
    return result;
  }
  /// How many facts of this kind the scheduler heard about a trial.
  template <class Fact>
  [[nodiscard]] std::size_t heard(trial_id trial) const {
    std::size_t result = 0;
    for (const auto& x : all<cmd::tell_scheduler>()) {
      const auto* found = std::get_if<Fact>(&x.what.what);
      result += found != nullptr && found->trial == trial ? 1 : 0;
    }
    return result;
  }
  /// Observations of a trial that the searcher was told.
  [[nodiscard]] std::vector<observation> observed(trial_id trial) const {
    std::vector<observation> result;
    for (const auto& x : all<cmd::tell_searcher>()) {
      const auto* found = std::get_if<observation>(&x.what.what);
      if (found != nullptr && found->trial == trial)
        result.push_back(*found);
    }
    return result;
  }
};

/// One experiment that minimises `loss`. Everything is durable at once; time passes only when the
/// test advances it.
struct run_by_hand {
  experiment_settings settings = able_to_save();
  /// Whether the scheduler may have one trial go on from another's checkpoint.
  bool clones = false;
  /// The searcher draws configurations at once while it works others out.
  bool sketches = false;
  noting_ports ports;
  std::unique_ptr<engine> uut;
  static constexpr trial_id zero{0};
  /// The latest attempt, its number of reports, and its current iteration.
  attempt_id attempt;
  std::uint64_t reports = 0;
  std::uint64_t iteration = 0;
  std::uint64_t leases = 0;
  instant now{0};

  [[nodiscard]] static experiment_settings able_to_save() {
    experiment_settings result;
    result.objectives = {{"loss", false}};
    result.saves = save_ability::on_request;
    return result;
  }

  /// Makes an engine that has heard nothing yet.
  void make() {
    searcher_traits source;
    source.exhaustible = true;
    source.sketches = sketches;
    scheduler_traits judge;
    judge.choose_ahead = 4;
    judge.needs_checkpoints = clones;
    uut = std::make_unique<engine>(experiment{settings, judge, source, {}}, ports);
  }
  void open(std::size_t trials = 1) {
    make();
    post(on::opened{1, "test", "{}", 1, opening::at_once, on::present_draws});
    suggest(trials);
  }
  void post(event_body what) {
    uut->post(std::move(what), now);
    uut->durable(uut->machine().last_seq());
  }
  order_verdict order(event_body what) {
    auto result = uut->order(std::move(what), now);
    uut->durable(uut->machine().last_seq());
    return result;
  }

  void let_pass(instant time) {
    now += time;
    uut->pass(now);
    uut->durable(uut->machine().last_seq());
  }

  void suggest(std::size_t count) {
    std::vector<suggestion> made(count, {std::make_shared<object>(object{{"x", 1}}), "test"});
    post(on::suggested{ports.all<cmd::ask_searcher>().back().what.number, made});
  }
  void choose(std::vector<trial_id> start = {zero}) {
    post(on::chosen{{ports.all<cmd::choose>().back().at, std::move(start)}});
  }
  void place(trial_id id = zero) {
    attempt = uut->machine().next_attempt();
    post(on::placed{id, attempt, lease{{++leases}, {{"here", {}, {}}}}});
    post(on::started{id, attempt, 7});
    reports = 0;
    auto known = uut->machine().launch_of(id);
    iteration = known ? known->iteration : 0;
  }
  /// Has the scheduler choose the trial, and places it.
  void run(trial_id id = zero) {
    choose({id});
    place(id);
  }
  void report(trial_id id = zero, double loss = 0.5, bool done = false) {
    auto what = std::make_shared<tune::report>();
    what->trial = id;
    what->attempt = attempt;
    what->number = ++reports;
    what->iteration = ++iteration;
    what->metrics = std::make_shared<object>(object{{"loss", loss}});
    what->done = done;
    post(on::reported{what});
  }
  /// Completes the latest requested checkpoint.
  void save() {
    auto x = ports.all<cmd::save>().back();
    post(on::saved{x.trial,
                   x.attempt,
                   x.checkpoint,
                   x.iteration,
                   {},
                   "there/" + std::to_string(x.checkpoint.number),
                   1});
  }
  void end(end_class how, trial_id id = zero, std::string why = {}) {
    post(on::ended{id, attempt, how, std::move(why), {}});
  }
  void decide(action_body what) {
    post(on::decided{{{ports.all<cmd::judge>().back().cause, {{zero, std::move(what), {}}}}}});
  }

  [[nodiscard]] trial_status status(trial_id id = zero) const {
    return *uut->machine().status_of(id);
  }
  /// The latest version of a trial's row.
  [[nodiscard]] cmd::trial_changed row(trial_id id = zero) const {
    cmd::trial_changed result;
    for (auto& x : ports.all<cmd::trial_changed>()) {
      if (x.trial == id)
        result = x;
    }
    return result;
  }
  [[nodiscard]] cmd::launch launched() const { return ports.all<cmd::launch>().back(); }
};

} // namespace tune::support
