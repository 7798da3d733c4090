// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/liveness/standby_watch.hpp"

#include <gtest/gtest.h>

namespace tune {
namespace {

using namespace std::chrono_literals;
using verdict = standby_watch::verdict;

TEST(standby_watch, takes_a_lock_that_nobody_holds) {
  standby_watch watch{10s, true};
  EXPECT_EQ(watch.look(lead_sign{3, 17}, true, 0s), verdict::leads);
}

TEST(standby_watch, leaves_a_head_in_the_lead_whose_sign_changes) {
  standby_watch watch{10s, true};
  for (std::uint64_t i = 0; i < 100; ++i)
    ASSERT_EQ(watch.look(lead_sign{1, i / 9}, false, i * 1s), verdict::waits) << i;
}

TEST(standby_watch, puts_a_silent_head_out_of_the_lead) {
  standby_watch watch{10s, true};
  for (int i = 0; i < 10; ++i)
    ASSERT_EQ(watch.look(lead_sign{1, 5}, false, i * 1s), verdict::waits) << i;
  EXPECT_EQ(watch.look(lead_sign{1, 5}, false, 10s), verdict::leads_by_force);
}

TEST(standby_watch, counts_a_head_of_another_epoch_as_another) {
  standby_watch watch{10s, true};
  for (int i = 0; i < 9; ++i)
    ASSERT_EQ(watch.look(lead_sign{1, 5}, false, i * 1s), verdict::waits);
  EXPECT_EQ(watch.look(lead_sign{2, 5}, false, 9s), verdict::waits);
  EXPECT_EQ(watch.look(lead_sign{2, 5}, false, 10s), verdict::waits);
}

TEST(standby_watch, blames_nobody_for_the_time_that_it_slept_itself) {
  standby_watch watch{10s, true};
  ASSERT_EQ(watch.look(lead_sign{1, 5}, false, 0s), verdict::waits);
  EXPECT_EQ(watch.look(lead_sign{1, 5}, false, 3600s), verdict::waits);
  EXPECT_EQ(watch.look(lead_sign{1, 6}, false, 3601s), verdict::waits);
}

TEST(standby_watch, does_not_believe_a_lock_where_two_can_have_it) {
  standby_watch watch{10s, false};
  ASSERT_EQ(watch.look(lead_sign{1, 5}, true, 0s), verdict::waits);
  ASSERT_EQ(watch.look(lead_sign{1, 6}, true, 1s), verdict::waits);
  ASSERT_EQ(watch.look(lead_sign{1, 6}, true, 2s), verdict::waits);
  EXPECT_EQ(watch.look(lead_sign{1, 6}, true, 3s), verdict::leads);
}

TEST(standby_watch, leads_where_nobody_ever_did) {
  standby_watch watch{10s, false};
  EXPECT_EQ(watch.look(std::nullopt, true, 0s), verdict::leads);
}

} // namespace
} // namespace tune
