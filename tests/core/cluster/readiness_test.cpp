// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/cluster/readiness.hpp"

#include <gmock/gmock.h>

namespace tune {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::IsEmpty;

const readiness::pair mine{1, "a"};

std::chrono::seconds refuse(readiness& uut, const readiness::pair& of, bool is_passing = false) {
  auto pause = uut.refused(of, uut.refusals(of), is_passing);
  EXPECT_TRUE(pause);
  return pause ? pause->length : 0s;
}

TEST(readiness, leaves_a_node_out_for_longer_each_time_in_a_row) {
  readiness uut;

  for (auto length : {1s, 4s, 16s, 64s, 256s, 256s})
    EXPECT_EQ(refuse(uut, mine), length);
}

TEST(readiness, leaves_a_node_out_for_a_short_time_where_its_trouble_may_pass) {
  readiness uut;

  for (auto length : {1s, 4s, 16s, 30s, 30s})
    EXPECT_EQ(refuse(uut, mine, true), length);
}

TEST(readiness, counts_once_what_was_granted_together) {
  readiness uut;
  refuse(uut, mine);

  EXPECT_FALSE(uut.refused(mine, 0, false));
  EXPECT_EQ(uut.refusals(mine), 1u);
}

TEST(readiness, begins_anew_with_a_node_that_was_ready) {
  readiness uut;
  refuse(uut, mine);
  uut.was_ready(mine, 0); // a lease granted before the refusal
  EXPECT_EQ(uut.refusals(mine), 1u);

  uut.was_ready(mine, 1);

  EXPECT_EQ(refuse(uut, mine), 1s);
}

TEST(readiness, tries_a_node_again_soon_where_something_ended_that_took_what_it_lacks) {
  readiness uut;
  for (int i = 0; i < 3; ++i)
    refuse(uut, mine, true);

  // This lease was granted together with the last one that was refused.
  auto rest = uut.was_ready(mine, 2);

  ASSERT_TRUE(rest);
  EXPECT_EQ(rest->length, 1s);
  EXPECT_TRUE(uut.ends(mine, rest->times));
}

TEST(readiness, tries_no_node_again_sooner_whose_trouble_lasts) {
  readiness uut;
  refuse(uut, mine);
  refuse(uut, mine);

  EXPECT_FALSE(uut.was_ready(mine, 1));
}

TEST(readiness, gives_up_a_node_that_is_never_ready_but_none_whose_trouble_may_pass) {
  readiness uut;
  const readiness::pair passing{1, "b"};
  for (int i = 0; i < 3; ++i) {
    EXPECT_THAT(uut.never_ready(1), IsEmpty());
    refuse(uut, mine);
    refuse(uut, passing, true);
  }

  EXPECT_THAT(uut.never_ready(1), ElementsAre("a"));
  EXPECT_THAT(uut.never_ready(2), IsEmpty());
}

TEST(readiness, ends_only_the_present_pause) {
  readiness uut;
  auto first = uut.refused(mine, 0, false);
  EXPECT_TRUE(uut.ends(mine, first->times));

  refuse(uut, mine);

  EXPECT_FALSE(uut.ends(mine, first->times));
}

TEST(readiness, forgets_nodes_that_came_anew_and_owners_that_are_gone) {
  readiness uut;
  refuse(uut, mine);
  refuse(uut, {2, "a"});
  refuse(uut, {2, "b"});

  uut.forget_node("a");
  EXPECT_EQ(uut.refusals(mine) + uut.refusals({2, "a"}), 0u);
  uut.forget_owner(2);
  EXPECT_EQ(uut.refusals({2, "b"}), 0u);
}

} // namespace
} // namespace tune
