// SPDX-License-Identifier: BSD-3-Clause
#include "../../../src/core/experiment/run_clocks.hpp"

#include <gtest/gtest.h>

#include <chrono>

namespace tune {
namespace {

using std::chrono::seconds;

TEST(training_time, tells_what_this_head_has_added) {
  training_time uut;
  EXPECT_FALSE(uut.is_new());
  uut.add(seconds{2});
  EXPECT_TRUE(uut.is_new());
  uut.begin_head();
  EXPECT_FALSE(uut.is_new());
  uut.add(seconds{1});

  EXPECT_TRUE(uut.is_new());
  EXPECT_EQ(uut.total(), seconds{3});
}

TEST(free_place_clock, runs_while_fewer_run_than_have_run_at_once) {
  free_place_clock uut;
  uut.watch(2, 0, true, seconds{1});
  EXPECT_EQ(uut.since(), std::nullopt);
  uut.watch(1, 0, true, seconds{2});
  uut.watch(1, 0, true, seconds{3});
  EXPECT_EQ(uut.since(), seconds{2});
  uut.watch(1, 1, true, seconds{4});
  EXPECT_EQ(uut.since(), std::nullopt);
  EXPECT_EQ(uut.most_running(), 2u);
}

TEST(free_place_clock, stands_while_no_answer_would_fill_the_place) {
  free_place_clock uut;
  uut.watch(2, 0, true, seconds{1});
  uut.watch(1, 0, false, seconds{2});
  EXPECT_EQ(uut.since(), std::nullopt);
}

TEST(free_place_clock, restarts_only_while_it_runs) {
  free_place_clock uut;
  uut.restart(seconds{1});
  EXPECT_EQ(uut.since(), std::nullopt);
  uut.watch(1, 0, true, seconds{1});
  uut.watch(0, 0, true, seconds{2});
  uut.restart(seconds{5});
  EXPECT_EQ(uut.since(), seconds{5});
}

TEST(free_place_clock, forgets_places_that_may_be_lost) {
  free_place_clock uut;
  uut.watch(2, 0, true, seconds{1});
  uut.forget_places();
  uut.watch(1, 0, true, seconds{2});
  EXPECT_EQ(uut.since(), std::nullopt);
}

} // namespace
} // namespace tune
