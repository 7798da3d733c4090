/// One trial, driven event by event; the test decides where it runs and what it leaves behind.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "support/run_by_hand.hpp"

#include <gtest/gtest.h>

#include <string>
#include <utility>

namespace tune::samples {

struct one_trial : testing::Test, support::run_by_hand {
  /// Places the trial, which begins to train.
  void place(const std::string& node = "near") {
    attempt = uut->machine().next_attempt();
    post(on::placed{zero, attempt, lease{{++leases}, {{node, {}, {}}}}});
    reports = 0;
    iteration = ports.last<cmd::launch>().iteration;
  }
  void save(const std::string& location) {
    auto x = ports.last<cmd::save>();
    post(on::saved{x.trial, x.attempt, x.checkpoint, x.iteration, {}, location, 1});
  }
  void end(end_class how, std::string why = {}) {
    post(on::ended{zero, attempt, how, std::move(why), {}});
  }
};

} // namespace tune::samples
