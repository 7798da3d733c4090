// SPDX-License-Identifier: BSD-3-Clause
#include "../../../src/io/process/answer_backlog.hpp"

#include <gtest/gtest.h>

namespace tune {
namespace {

TEST(answer_backlog, holds_lines_in_order_until_the_pipe_takes_them) {
  answer_backlog uut{100};

  EXPECT_TRUE(uut.add("go"));
  EXPECT_TRUE(uut.add("stop"));
  EXPECT_EQ(uut.text(), "go\nstop\n");
  uut.took(4);

  EXPECT_EQ(uut.text(), "top\n");
}

TEST(answer_backlog, loses_what_finds_no_room) {
  answer_backlog uut{5};

  EXPECT_TRUE(uut.add("four"));
  EXPECT_FALSE(uut.add("x"));

  EXPECT_EQ(uut.text(), "four\n");
}

TEST(answer_backlog, lets_the_process_report_once_for_each_answer) {
  answer_backlog uut{2};
  EXPECT_FALSE(uut.take_answered());

  uut.add("a");
  EXPECT_TRUE(uut.take_answered());
  EXPECT_FALSE(uut.take_answered());

  uut.add("lost");
  EXPECT_TRUE(uut.take_answered());
}

TEST(answer_backlog, tells_once_that_nobody_reads) {
  answer_backlog uut{100};

  EXPECT_TRUE(uut.is_first_unread());
  EXPECT_FALSE(uut.is_first_unread());
}

TEST(answer_backlog, begins_anew_with_the_next_trial_of_the_process) {
  answer_backlog uut{100};
  uut.add("go");
  static_cast<void>(uut.is_first_unread());

  uut.begin_anew();

  EXPECT_EQ(uut.text(), "");
  EXPECT_FALSE(uut.take_answered());
  EXPECT_TRUE(uut.is_first_unread());
}

TEST(answer_backlog, remembers_that_no_answer_follows) {
  answer_backlog uut{100};
  EXPECT_FALSE(uut.is_last());

  uut.end();
  uut.begin_anew();

  EXPECT_TRUE(uut.is_last());
}

} // namespace
} // namespace tune
