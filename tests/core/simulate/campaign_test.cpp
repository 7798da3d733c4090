// The short form of the long campaign in scripts/nightly.sh.
// SPDX-License-Identifier: BSD-3-Clause
#include "support/campaign.hpp"

#include <gtest/gtest.h>

#include <ostream>

namespace tune {

namespace support {

// Used by GoogleTest in messages.
static void PrintTo(const judge& x, std::ostream* out) {
  *out << x.name;
}

} // namespace support

namespace {

using support::judge;

class any_judge : public testing::TestWithParam<judge> {};

TEST_P(any_judge, keeps_all_promises_in_three_hundred_schedules) {
  auto result = support::run_campaign(GetParam(), 1, 300);

  EXPECT_EQ(support::text_of(GetParam(), result), "");
  EXPECT_EQ(result.schedules, 300u);
  // Faults occurred even where runs are short.
  EXPECT_GT(result.heads, 310u);
  EXPECT_GT(result.nodes_lost, 100u);
}

TEST_P(any_judge, does_the_same_again_with_the_same_seed) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    auto once = support::run_schedule(GetParam(), seed);
    auto again = support::run_schedule(GetParam(), seed);
    EXPECT_EQ(once.events, again.events) << "seed " << seed;
    EXPECT_EQ(once.heads, again.heads) << "seed " << seed;
  }
}

// A client's wish to unpause a trial was needless because of an event that was lost with the head.
TEST(campaign, a_client_that_paused_a_trial_lets_it_go_on_whatever_is_lost) {
  const auto* who = support::find_judge("asha_promotion_objectives");

  auto result = support::run_schedule(*who, 6459);

  EXPECT_TRUE(result.found.empty());
}

INSTANTIATE_TEST_SUITE_P(simulation, any_judge, testing::ValuesIn(support::judges()),
                         [](const auto& x) { return x.param.name; });

} // namespace
} // namespace tune
