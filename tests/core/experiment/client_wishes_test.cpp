// SPDX-License-Identifier: BSD-3-Clause
#include "../../../src/core/experiment/client_wishes.hpp"

#include "tune/core/experiment/waiting_trials.hpp"

#include <gtest/gtest.h>

namespace tune {
namespace {

TEST(client_wishes, gathers_until_clients_have_said_what_may_start) {
  client_wishes uut;
  uut.begin_head(true);
  EXPECT_TRUE(uut.gathering());
  uut.gathered(true);
  EXPECT_FALSE(uut.gathering());
  EXPECT_TRUE(uut.narrowed());
  uut.begin_head(false);
  EXPECT_FALSE(uut.narrowed());
}

TEST(client_wishes, stay_suspended_under_the_next_head) {
  client_wishes uut;
  EXPECT_TRUE(uut.suspend(true));
  EXPECT_FALSE(uut.suspend(true));
  uut.begin_head(false);
  EXPECT_TRUE(uut.suspended());
}

TEST(client_wishes, have_people_told_anew_after_a_change) {
  client_wishes uut;
  EXPECT_TRUE(uut.is_first_rest());
  EXPECT_FALSE(uut.is_first_rest());
  uut.suspend(true);
  EXPECT_TRUE(uut.is_first_rest());
  uut.suspend(true);
  EXPECT_FALSE(uut.is_first_rest());
  uut.forget_rest();
  EXPECT_TRUE(uut.is_first_rest());
}

TEST(client_wishes, know_the_trial_of_a_repeated_request) {
  client_wishes uut;
  uut.note_added("k", trial_id{3});
  uut.note_added("k", trial_id{4});
  uut.note_added("", trial_id{5});

  EXPECT_EQ(uut.added_by("k"), trial_id{3});
  EXPECT_EQ(uut.added_by(""), std::nullopt);
}

TEST(waiting_trials, are_pending_whether_the_cluster_was_asked_for_them_or_not) {
  experiment_view x;
  x.counts[static_cast<std::size_t>(trial_status::pending)] = 5;
  x.counts[static_cast<std::size_t>(trial_status::paused)] = 2;

  EXPECT_EQ(waiting_trials(x, 3), 5u);
  EXPECT_EQ(waiting_trials(x, 6), 6u);
  x.held = 2; // Those that are paused.
  EXPECT_EQ(waiting_trials(x, 3), 5u);
  x.held = 3;
  EXPECT_EQ(waiting_trials(x, 3), 4u);
  x.suspended = true;
  EXPECT_EQ(waiting_trials(x, 0), 0u);
}

} // namespace
} // namespace tune
