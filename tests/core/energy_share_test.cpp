// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/trial/energy_share.hpp"

#include "tune/core/trial/rank_costs.hpp"

#include <gtest/gtest.h>

namespace tune {
namespace {

TEST(energy_share, is_the_part_of_the_energy_that_its_time_is_of_all_time) {
  energy_share uut;
  uut.begin({1000, 50});

  uut.take({1100, 60}, 2.5);

  EXPECT_EQ(uut.joules(), 25.0);
}

TEST(energy_share, adds_up_intervals_in_which_the_machine_drew_differently) {
  energy_share uut;
  uut.begin({0, 0});

  uut.take({100, 10}, 10);
  uut.take({400, 20}, 15);

  EXPECT_EQ(uut.joules(), 100 + 300 * 0.5);
}

TEST(energy_share, goes_on_with_an_interval_in_which_it_did_not_work) {
  energy_share uut;
  uut.begin({0, 0});
  uut.take({50, 5}, 0);

  EXPECT_FALSE(uut.joules());

  uut.take({100, 10}, 1);
  EXPECT_EQ(uut.joules(), 10.0);
}

TEST(energy_share, is_never_more_than_all_there_was) {
  energy_share uut;
  uut.begin({0, 0});

  // The machine's time is counted in steps, and lags behind.
  uut.take({8, 0.01}, 0.014);

  EXPECT_EQ(uut.joules(), 8.0);
}

TEST(energy_share, knows_nothing_without_a_beginning_or_a_step_of_the_clock) {
  energy_share uut;
  uut.take({100, 10}, 5);
  EXPECT_FALSE(uut.joules());

  uut.begin({100, 10});
  uut.take({101, 10}, 0.001);

  EXPECT_FALSE(uut.joules());
}

TEST(wrapping_counter, goes_on_where_a_counter_begins_anew) {
  wrapping_counter uut{1000};

  EXPECT_EQ(uut.take(900), 0);
  EXPECT_EQ(uut.take(950), 50);
  EXPECT_EQ(uut.take(30), 130);
  EXPECT_EQ(uut.take(30), 130);
}

TEST(costs_of_ranks, add_up_their_peaks_too) {
  cost_sheet uut;
  uut.set(cost_kind::cpu_s, 1.5);
  uut.set(cost_kind::peak_rss_bytes, 4096);
  cost_sheet other;
  other.set(cost_kind::cpu_s, 2);
  other.set(cost_kind::peak_rss_bytes, 1024);
  other.set(cost_kind::energy_j, 7);

  add_beside(uut, other);

  EXPECT_EQ(uut.of(cost_kind::cpu_s), 3.5);
  EXPECT_EQ(uut.of(cost_kind::peak_rss_bytes), 5120);
  EXPECT_EQ(uut.of(cost_kind::energy_j), 7);
  EXPECT_FALSE(uut.of(cost_kind::gpu_s));
}

} // namespace
} // namespace tune
