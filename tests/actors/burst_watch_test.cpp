// SPDX-License-Identifier: BSD-3-Clause
#include "../../src/actors/burst_watch.hpp"

#include <gtest/gtest.h>

#include <initializer_list>

namespace tune {
namespace {

using namespace std::chrono_literals;

/// Whether reports at these times count as late where the program ends after 1.6 s.
bool is_late(std::initializer_list<std::chrono::microseconds> times) {
  const burst_watch::clock::time_point began;
  burst_watch uut;
  for (auto x : times)
    uut.add(began + x);
  return uut.is_late(began, began + 1600ms);
}

TEST(burst_watch, calls_reports_late_that_come_together_at_the_end) {
  EXPECT_TRUE(is_late({1500ms, 1500ms, 1500ms}));
  // What is more than one read takes.
  EXPECT_TRUE(is_late({1500ms, 1500ms, 1501ms, 1502ms, 1502ms}));
}

TEST(burst_watch, calls_nothing_late_that_came_apart) {
  EXPECT_FALSE(is_late({1500ms, 1510ms, 1520ms, 1530ms}));
  EXPECT_FALSE(is_late({1500ms, 1500ms, 1503ms}));
  EXPECT_FALSE(is_late({1500ms}));
}

TEST(burst_watch, calls_nothing_late_that_came_before_the_end_or_in_a_short_run) {
  EXPECT_FALSE(is_late({1000ms, 1000ms}));
  burst_watch uut;
  const burst_watch::clock::time_point began;
  uut.add(began + 350ms);
  uut.add(began + 350ms);
  EXPECT_FALSE(uut.is_late(began, began + 400ms));
  EXPECT_TRUE(uut.came_together());
}

TEST(burst_watch, calls_reports_together_that_came_at_one_stretch) {
  const burst_watch::clock::time_point began;
  burst_watch uut;
  uut.add(began + 10ms);
  EXPECT_FALSE(uut.came_together()) << "a single one";
  uut.add(began + 12ms);
  EXPECT_TRUE(uut.came_together());
  uut.add(began + 15ms);
  EXPECT_FALSE(uut.came_together());
}

} // namespace
} // namespace tune
