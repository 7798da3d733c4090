/// A whole experiment in one process, its record in memory.
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

  /// Settings, to be changed before `start`.
  experiment_settings settings;
  node_settings node;
  /// The experiment; its directory is a new one.
  job work;
  trainable_registry trainables;
  std::vector<object> configs{object{}};
  std::vector<stop_line> stop_lines;
  /// Told to the runner before it is to begin.
  std::vector<event_body> early;
  /// Called by the scheduler before it judges.
  std::function<void()> before_judging = [] {};

  void start();
  /// Waits for the end.
  run_summary finish();
  run_summary run() {
    start();
    return finish();
  }
  /// Has everyone go, and waits until the system has ended.
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
  /// Waits for so many of them.
  template <class T>
  bool wait_for_events(std::size_t count) {
    return eventually([&] { return events<T>().size() >= count; });
  }
  [[nodiscard]] std::vector<std::uint64_t> reported_iterations();

  /// What is on disk.
  told<event> log;
  /// Iterations that the scheduler was shown.
  told<std::uint64_t> judged;
  /// What its observer was warned of.
  told<std::string> warned;
  /// Why trials became what they are, in order.
  told<std::string> reasons;

private:
  told<run_summary> over_;
  runner_actor runner_;
  node_actor node_;
};

} // namespace tune::support
