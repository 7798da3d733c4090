// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/trial/report_line.hpp"

#include <gtest/gtest.h>

#include <string>

namespace tune {
namespace {

using line = report_line<std::string>;

TEST(report_line, lets_reports_of_those_pass_that_waited) {
  line all;
  for (std::uint64_t i = 1; i < 5; ++i)
    EXPECT_TRUE(all.passes({i, false})) << i;
  EXPECT_TRUE(all.is_empty());
}

TEST(report_line, lets_one_report_pass_for_each_answer) {
  line all;
  ASSERT_TRUE(all.passes({7, true}));
  for (std::uint64_t i = 8; i < 11; ++i) {
    ASSERT_FALSE(all.passes({i, i < 10})) << i;
    all.add({20 + i, "report", line::mark{i, i < 10}, i});
  }
  EXPECT_EQ(all.first(), 28u);
  EXPECT_FALSE(all.next());

  for (std::uint64_t i = 7; i < 10; ++i) {
    all.answered(i);
    EXPECT_TRUE(all.next()) << i;
    EXPECT_FALSE(all.next()) << i;
  }
  EXPECT_TRUE(all.is_empty());
}

TEST(report_line, holds_a_report_behind_one_whose_answer_is_on_its_way) {
  line all;
  ASSERT_TRUE(all.passes({3, false}));
  ASSERT_FALSE(all.passes({4, true}));
  all.add({4, "report", line::mark{4, true}, 4});
  EXPECT_FALSE(all.next());

  all.answered(3);

  EXPECT_TRUE(all.next());
}

TEST(report_line, keeps_the_order_of_all_that_waits) {
  line all;
  ASSERT_TRUE(all.passes({1, true}));
  all.add({2, "report", line::mark{2, false}, 2});
  all.add({3, "end"});

  all.answered(1);

  EXPECT_EQ(all.next(), "report");
  EXPECT_EQ(all.next(), "end");
}

TEST(report_line, drops_the_reports_of_one_that_is_to_end) {
  line all;
  ASSERT_TRUE(all.passes({1, true}));
  all.add({2, "report", line::mark{2, true}, 2});
  all.add({3, "report", line::mark{3, false}, 3});
  all.add({4, "checkpoint of the third", {}, 3});
  all.add({5, "end"});
  EXPECT_TRUE(all.has(3));
  EXPECT_FALSE(all.has(1));

  EXPECT_EQ(all.drop_reports(), 2u);

  EXPECT_EQ(all.next(), "end");
  EXPECT_FALSE(all.next());
}

} // namespace
} // namespace tune
