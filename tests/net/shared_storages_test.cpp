// SPDX-License-Identifier: BSD-3-Clause
#include "../../src/net/shared_storages.hpp"

#include <gtest/gtest.h>

namespace tune {
namespace {

using storages = shared_storages<int>;

TEST(shared_storages, asks_once_for_all_attempts_of_a_job) {
  storages all;

  EXPECT_TRUE(all.wait("a", 1));
  all.asked(7, "a");
  EXPECT_FALSE(all.wait("a", 2));
  EXPECT_TRUE(all.wait("b", 3));

  EXPECT_EQ(all.asker("a"), 1);
  EXPECT_EQ(all.answered(7), "a");
  EXPECT_EQ(all.know("a", "/shared"), (std::vector{1, 2}));
  EXPECT_EQ(all.of("a"), "/shared");
  EXPECT_FALSE(all.is_known("b"));
}

TEST(shared_storages, knows_also_that_a_storage_is_out_of_reach) {
  storages all;
  all.wait("a", 1);

  all.know("a", {});

  EXPECT_TRUE(all.is_known("a"));
  EXPECT_EQ(all.of("a"), "");
}

TEST(shared_storages, takes_each_answer_once) {
  storages all;
  all.asked(7, "a");

  EXPECT_EQ(all.answered(8), "");
  EXPECT_EQ(all.answered(7), "a");
  EXPECT_EQ(all.answered(7), "");
}

TEST(shared_storages, has_no_question_of_a_job_that_is_over) {
  storages all;
  all.wait("a", 1);
  all.asked(7, "a");
  all.wait("b", 2);
  all.asked(8, "b");

  all.erase("a");

  ASSERT_EQ(all.questions().size(), 1u);
  EXPECT_EQ(all.questions().begin()->second, "b");
  EXPECT_EQ(all.answered(7), "");
}

} // namespace
} // namespace tune
