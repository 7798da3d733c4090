// SPDX-License-Identifier: BSD-3-Clause
#include "../../src/net/checkpoint_copies.hpp"
#include "../../src/net/shared_copies.hpp"

#include <gtest/gtest.h>

namespace tune {
namespace {

using paths = std::vector<std::filesystem::path>;

paths surplus_of(checkpoint_copies& whose) {
  paths result;
  for (auto& x : whose.surplus())
    result.push_back(std::move(x.where));
  return result;
}

TEST(checkpoint_copies, keep_the_newest_of_each_trial) {
  checkpoint_copies uut{1000};
  uut.add({"job", 1, "a", 10});
  uut.add({"job", 2, "b", 10});
  uut.add({"other", 1, "c", 10});
  EXPECT_EQ(surplus_of(uut), paths{});

  uut.add({"job", 1, "d", 10});

  EXPECT_EQ(surplus_of(uut), paths{"a"});
  EXPECT_EQ(surplus_of(uut), paths{});
}

TEST(checkpoint_copies, keep_what_is_in_use) {
  checkpoint_copies uut{0};
  uut.add({"job", 1, "a", 10});
  uut.use("a");
  uut.use("a");
  uut.add({"job", 1, "b", 10});
  uut.use("b");
  EXPECT_EQ(surplus_of(uut), paths{});

  uut.release("a");
  EXPECT_EQ(surplus_of(uut), paths{});
  uut.release("a");

  EXPECT_EQ(surplus_of(uut), paths{"a"});
}

TEST(checkpoint_copies, go_in_the_order_in_which_they_came_where_room_is_scarce) {
  checkpoint_copies uut{25};
  uut.add({"job", 1, "a", 10});
  uut.add({"job", 2, "b", 10});
  uut.add({"job", 3, "c", 10});

  EXPECT_EQ(surplus_of(uut), paths{"a"});
  uut.add({"job", 4, "d", 100});
  EXPECT_EQ(surplus_of(uut), (paths{"b", "c", "d"}));
}

TEST(checkpoint_copies, take_no_room_while_they_are_in_use) {
  checkpoint_copies uut{10};
  uut.add({"job", 1, "a", 1000});
  uut.use("a");
  uut.add({"job", 2, "b", 10});

  EXPECT_EQ(surplus_of(uut), paths{});
  uut.release("a");
  EXPECT_EQ(surplus_of(uut), paths{"a"});
}

TEST(checkpoint_copies, that_are_brought_again_are_the_newest) {
  checkpoint_copies uut{1000};
  uut.add({"job", 1, "a", 10});
  uut.use("a");
  uut.add({"job", 1, "b", 10});
  uut.add({"job", 1, "a", 10});

  EXPECT_EQ(surplus_of(uut), paths{"b"});
  uut.release("a");
  EXPECT_EQ(surplus_of(uut), paths{});
}

TEST(checkpoint_copies, of_a_job_are_forgotten_with_it) {
  checkpoint_copies uut{0};
  uut.add({"job", 1, "a", 10});
  uut.add({"other", 1, "b", 10});

  uut.forget("job");
  uut.use("a");
  uut.release("a");

  EXPECT_EQ(surplus_of(uut), paths{"b"});
}

TEST(shared_copies, share_one_room_and_go_with_their_own_job) {
  shared_copies uut{15};
  uut.add({"job", 1, "a", 10});
  uut.add({"other", 1, "b", 10});

  EXPECT_EQ(uut.surplus_of("other"), paths{});
  EXPECT_EQ(uut.due(), std::vector<std::string>{"job"});
  EXPECT_EQ(uut.surplus_of("job"), paths{"a"});
  EXPECT_TRUE(uut.due().empty());
}

TEST(shared_copies, of_a_job_that_is_over_are_nobodys) {
  shared_copies uut{5};
  uut.add({"job", 1, "a", 10});
  uut.add({"other", 1, "b", 10});
  EXPECT_EQ(uut.surplus_of("other"), paths{"b"});

  uut.forget("job");

  EXPECT_TRUE(uut.due().empty());
  EXPECT_EQ(uut.surplus_of("job"), paths{});
}

} // namespace
} // namespace tune
