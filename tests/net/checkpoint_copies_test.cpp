// SPDX-License-Identifier: BSD-3-Clause
#include "../../src/net/checkpoint_copies.hpp"

#include <gtest/gtest.h>

namespace tune {
namespace {

using paths = std::vector<std::filesystem::path>;

TEST(checkpoint_copies, keep_the_newest_of_each_trial) {
  checkpoint_copies uut{1000};
  uut.add({"job", 1, "a", 10});
  uut.add({"job", 2, "b", 10});
  uut.add({"other", 1, "c", 10});
  EXPECT_EQ(uut.surplus(), paths{});

  uut.add({"job", 1, "d", 10});

  EXPECT_EQ(uut.surplus(), paths{"a"});
  EXPECT_EQ(uut.surplus(), paths{});
}

TEST(checkpoint_copies, keep_what_is_in_use) {
  checkpoint_copies uut{0};
  uut.add({"job", 1, "a", 10});
  uut.use("a");
  uut.use("a");
  uut.add({"job", 1, "b", 10});
  uut.use("b");
  EXPECT_EQ(uut.surplus(), paths{});

  uut.release("a");
  EXPECT_EQ(uut.surplus(), paths{});
  uut.release("a");

  EXPECT_EQ(uut.surplus(), paths{"a"});
}

TEST(checkpoint_copies, go_in_the_order_in_which_they_came_where_room_is_scarce) {
  checkpoint_copies uut{25};
  uut.add({"job", 1, "a", 10});
  uut.add({"job", 2, "b", 10});
  uut.add({"job", 3, "c", 10});

  EXPECT_EQ(uut.surplus(), paths{"a"});
  uut.add({"job", 4, "d", 100});
  EXPECT_EQ(uut.surplus(), (paths{"b", "c", "d"}));
}

TEST(checkpoint_copies, take_no_room_while_they_are_in_use) {
  checkpoint_copies uut{10};
  uut.add({"job", 1, "a", 1000});
  uut.use("a");
  uut.add({"job", 2, "b", 10});

  EXPECT_EQ(uut.surplus(), paths{});
  uut.release("a");
  EXPECT_EQ(uut.surplus(), paths{"a"});
}

TEST(checkpoint_copies, that_are_brought_again_are_the_newest) {
  checkpoint_copies uut{1000};
  uut.add({"job", 1, "a", 10});
  uut.use("a");
  uut.add({"job", 1, "b", 10});
  uut.add({"job", 1, "a", 10});

  EXPECT_EQ(uut.surplus(), paths{"b"});
  uut.release("a");
  EXPECT_EQ(uut.surplus(), paths{});
}

TEST(checkpoint_copies, of_a_job_are_forgotten_with_it) {
  checkpoint_copies uut{0};
  uut.add({"job", 1, "a", 10});
  uut.add({"other", 1, "b", 10});

  uut.forget("job");
  uut.use("a");
  uut.release("a");

  EXPECT_EQ(uut.surplus(), paths{"b"});
}

} // namespace
} // namespace tune
