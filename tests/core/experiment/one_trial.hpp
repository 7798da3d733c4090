/// An engine with one trial; the test plays everybody else, event by event.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/experiment/engine.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace tune::samples {

/// Keeps what the engine does; the test plays everybody else.
struct notes : engine_ports {
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
  [[nodiscard]] std::vector<std::string> actions() const {
    std::vector<std::string> result;
    for (const auto& x : all<cmd::decision_taken>())
      result.push_back(x.action);
    return result;
  }
};

inline experiment_settings able_to_save() {
  experiment_settings result;
  result.objectives = {{"loss", false}};
  result.can_checkpoint = true;
  return result;
}

/// One trial, played event by event.
struct one_trial : testing::Test {
  static constexpr trial_id zero{0};

  experiment_settings settings = able_to_save();
  notes ports;
  std::unique_ptr<engine> uut;
  attempt_id attempt;
  std::uint64_t leases = 0;
  std::uint64_t reports = 0;
  std::uint64_t iteration = 0;
  instant now{0};

  void make() {
    searcher_traits source;
    source.exhaustible = true;
    scheduler_traits judge;
    judge.choose_ahead = 4;
    uut = std::make_unique<engine>(experiment{settings, judge, source, {}}, ports);
  }
  void open() {
    make();
    post(on::opened{1, "test", "{}", 1});
    post(on::suggested{
        ports.last<cmd::ask_searcher>().what.number,
        std::vector<suggestion>{{std::make_shared<object>(object{{"x", 1}}), "test"}}});
  }
  void post(event_body what) {
    uut->post(std::move(what), now);
    uut->durable(uut->machine().last_seq());
  }
  void choose() { post(on::chosen{{ports.last<cmd::choose>().at, {zero}}}); }
  /// The trial gets its place, and begins to train.
  void place(const std::string& node = "near") {
    attempt = uut->machine().next_attempt();
    post(on::placed{zero, attempt, lease{{++leases}, {{node, {}, {}}}}});
    reports = 0;
    iteration = ports.last<cmd::launch>().iteration;
  }
  void report() {
    auto what = std::make_shared<tune::report>();
    what->trial = zero;
    what->attempt = attempt;
    what->number = ++reports;
    what->iteration = ++iteration;
    what->metrics = std::make_shared<object>(object{{"loss", 0.5}});
    post(on::reported{what});
  }
  void decide(action_body what) {
    post(on::decided{{{ports.last<cmd::judge>().cause, {{zero, std::move(what), {}}}}}});
  }
  void save(const std::string& location) {
    auto x = ports.last<cmd::save>();
    post(on::saved{x.trial, x.attempt, x.checkpoint, x.iteration, {}, location, 1});
  }
  void end(end_class how, std::string why = {}) {
    post(on::ended{zero, attempt, how, std::move(why), {}});
  }
  [[nodiscard]] trial_status status() const { return *uut->machine().status_of(zero); }
};

} // namespace tune::samples
