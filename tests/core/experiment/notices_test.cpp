// SPDX-License-Identifier: BSD-3-Clause
#include "../../../src/core/experiment/notices.hpp"

#include <gtest/gtest.h>

namespace tune {
namespace {

template <class T>
std::uint64_t digest(const T& x) {
  fingerprint into;
  x.describe(into);
  return into.digest();
}

TEST(notices, gives_each_once) {
  notices uut;

  EXPECT_FALSE(uut.has(notice::lost_save));
  EXPECT_TRUE(uut.is_first(notice::lost_save));
  EXPECT_FALSE(uut.is_first(notice::lost_save));
  EXPECT_TRUE(uut.has(notice::lost_save));
  EXPECT_TRUE(uut.is_first(notice::no_objective));
}

TEST(notices, leaves_the_notice_of_room_out_of_the_fingerprint) {
  notices uut;
  EXPECT_TRUE(uut.is_first(notice::no_room));
  EXPECT_EQ(digest(uut), digest(notices{}));

  EXPECT_TRUE(uut.is_first(notice::lost_pause));
  EXPECT_NE(digest(uut), digest(notices{}));
}

TEST(alike_failures, counts_those_of_the_same_form) {
  alike_failures uut;

  EXPECT_EQ(uut.add("a 1", "a"), 1u);
  EXPECT_EQ(uut.add("a 2", "a"), 2u);
  EXPECT_EQ(uut.add("b", "b"), 1u);
  EXPECT_EQ(uut.text(), "b");
}

TEST(alike_failures, begins_anew_but_knows_the_last_text) {
  alike_failures uut;
  uut.add("a", "a");
  uut.begin_anew();

  EXPECT_EQ(uut.text(), "a");
  EXPECT_EQ(uut.add("a", "a"), 1u);
}

} // namespace
} // namespace tune
