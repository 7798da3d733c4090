// SPDX-License-Identifier: BSD-3-Clause
#include "../../../src/core/experiment/handovers.hpp"

#include <gtest/gtest.h>

namespace tune {
namespace {

TEST(handovers, has_what_is_on_its_way_or_registered) {
  handovers uut;
  EXPECT_FALSE(uut.has(3));
  uut.announce(3);
  EXPECT_TRUE(uut.has(3));
  EXPECT_TRUE(uut.settle(3, true));
  EXPECT_FALSE(uut.is_on_its_way(3));
  EXPECT_TRUE(uut.has(3));
}

TEST(handovers, has_none_that_was_refused) {
  handovers uut;
  uut.announce(3);
  EXPECT_TRUE(uut.settle(3, false));
  EXPECT_FALSE(uut.has(3));
}

TEST(handovers, settles_each_once) {
  handovers uut;
  uut.announce(3);
  EXPECT_TRUE(uut.settle(3, true));
  EXPECT_FALSE(uut.settle(3, true));
  EXPECT_FALSE(uut.settle(4, true));
  EXPECT_FALSE(uut.has(4));
}

TEST(handovers, keeps_the_newest_that_is_registered) {
  handovers uut;
  uut.announce(3);
  uut.announce(4);
  EXPECT_TRUE(uut.settle(4, true));
  EXPECT_TRUE(uut.settle(3, true));
  EXPECT_TRUE(uut.has(4));
  EXPECT_FALSE(uut.has(3));
}

TEST(handovers, has_none_before_the_first_report) {
  handovers uut;
  EXPECT_FALSE(uut.has(0));
}

TEST(handovers, knows_a_doubled_one_unless_none_was_ever_registered) {
  handovers uut;
  EXPECT_FALSE(uut.is_doubled(3));
  uut.note_registered(3);
  EXPECT_TRUE(uut.is_doubled(3));
  uut.announce(4);
  EXPECT_FALSE(uut.is_doubled(4));
}

TEST(handovers, tells_apart_reasons_of_refusals) {
  handovers uut;
  EXPECT_TRUE(uut.refuse("no room"));
  EXPECT_FALSE(uut.refuse("no room"));
  EXPECT_TRUE(uut.refuse("no directory"));
  EXPECT_EQ(uut.refused(), "no directory");
}

} // namespace
} // namespace tune
