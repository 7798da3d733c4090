/// A whole experiment in one process, with its record in memory.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "support/real_system.hpp"

#include "tune/actors/node.hpp"
#include "tune/actors/runner.hpp"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace tune::support {

/// Runs trials of given configurations first in, first out, one at a time.
class small_run : public real_system {
protected:
  small_run();
  ~small_run() override;
  void TearDown() override;

  /// Settings; a test changes them before `start`.
  experiment_settings settings;
  node_settings node;
  /// The experiment, in a new directory.
  job work;
  trainable_registry trainables;
  std::vector<object> configs{object{}};
  std::vector<stop_line> stop_lines;
  /// Events told to the runner before it begins.
  std::vector<event_body> early;
  /// Called by the scheduler before it judges.
  std::function<void()> before_judging = [] {};

  void start();
  /// Waits for the end of the run.
  run_summary finish();
  run_summary run() {
    start();
    return finish();
  }
  /// Tells all actors to exit, and waits until the system has ended.
  void end_run();

  void post(event_body what) { send_from_outside(runner_, news{std::move(what)}); }

  /// Recorded events of one kind.
  template <class T>
  std::vector<T> events() {
    std::vector<T> result;
    for (const auto& x : log.all()) {
      if (const auto* what = std::get_if<T>(&x.what))
        result.push_back(*what);
    }
    return result;
  }
  /// Waits for `count` recorded events of one kind.
  template <class T>
  bool wait_for_events(std::size_t count) {
    return eventually([&] { return events<T>().size() >= count; });
  }
  [[nodiscard]] std::vector<std::uint64_t> reported_iterations();

  /// All durable events.
  told<event> log;
  /// Iterations that the scheduler was shown.
  told<std::uint64_t> judged;
  /// Warnings that the observer received.
  told<std::string> warned;
  /// Reasons of the trials' status changes, in order.
  told<std::string> reasons;

private:
  told<run_summary> over_;
  runner_actor runner_;
  node_actor node_;
};

} // namespace tune::support
