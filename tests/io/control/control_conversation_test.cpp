// SPDX-License-Identifier: BSD-3-Clause
#include "tune/io/control/control_conversation.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tune {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;
using time_point = control_conversation::time_point;

const time_point start{};
constexpr auto status_line = "{\"op\":\"status\"}\n";

/// Takes the bytes that are to be sent.
std::string drained(control_conversation& from, time_point now = start) {
  std::string result{from.pending()};
  from.sent(result.size(), now);
  return result;
}

TEST(control_conversation, gives_out_a_request_when_its_line_is_whole) {
  control_conversation uut{start};

  uut.take("{\"op\":");
  EXPECT_FALSE(uut.next());
  uut.take("\"stop\"}");
  EXPECT_FALSE(uut.next());
  uut.take("\n");

  auto request = uut.next();
  ASSERT_TRUE(request);
  EXPECT_EQ(request->what, control_request::op::stop);
  EXPECT_TRUE(uut.owes());
}

TEST(control_conversation, gives_out_one_request_at_a_time) {
  control_conversation uut{start};
  uut.take(std::string{status_line} + status_line);

  ASSERT_TRUE(uut.next());
  EXPECT_FALSE(uut.next());
  EXPECT_FALSE(uut.listens());
  uut.answer("one", start);
  EXPECT_FALSE(uut.next()) << "the first answer has not been taken";
  EXPECT_EQ(drained(uut), "one\n");
  EXPECT_TRUE(uut.is_ready());
  EXPECT_TRUE(uut.next());
  uut.answer("two", start);

  EXPECT_EQ(drained(uut), "two\n");
  EXPECT_TRUE(uut.listens());
}

TEST(control_conversation, answers_nonsense_and_goes_on) {
  control_conversation uut{start};
  uut.take("nonsense\n");

  EXPECT_FALSE(uut.next());
  EXPECT_THAT(drained(uut), HasSubstr("\"ok\":false"));
  uut.take(status_line);
  EXPECT_TRUE(uut.next());
}

TEST(control_conversation, ends_after_too_much_nonsense) {
  control_conversation uut{start};
  uut.take(std::string(50, '\n'));

  auto answers = 0;
  while (!uut.is_over()) {
    EXPECT_FALSE(uut.next());
    answers += drained(uut).empty() ? 0 : 1;
    ASSERT_LE(answers, 50);
  }

  EXPECT_EQ(answers, 10);
}

TEST(control_conversation, ends_at_a_line_that_is_too_long) {
  control_conversation uut{start};
  std::string block(1 << 16, 'x');

  for (std::size_t sent = 0; sent <= longest_control_line; sent += block.size())
    uut.take(block);
  uut.take(block);

  EXPECT_FALSE(uut.next());
  EXPECT_FALSE(uut.listens());
  EXPECT_THAT(drained(uut), HasSubstr("a line is longer than"));
  EXPECT_TRUE(uut.is_over());
}

TEST(control_conversation, takes_a_line_of_the_greatest_length) {
  control_conversation uut{start};
  std::string line = "{\"op\":\"status\",\"more\":\"";
  line += std::string(longest_control_line - line.size() - 2, 'x') + "\"}";
  ASSERT_EQ(line.size(), longest_control_line);

  uut.take(line + "\n");

  EXPECT_TRUE(uut.next());
}

TEST(control_conversation, answers_what_was_asked_before_the_end) {
  control_conversation uut{start};
  uut.take(status_line);
  uut.take_end();

  EXPECT_FALSE(uut.is_over());
  ASSERT_TRUE(uut.next());
  EXPECT_FALSE(uut.is_over());
  uut.answer("fine", start);
  EXPECT_FALSE(uut.is_over());
  drained(uut);

  EXPECT_TRUE(uut.is_over());
}

TEST(control_conversation, may_idle_for_a_bounded_time_but_wait_for_its_answer) {
  control_conversation uut{start};
  EXPECT_EQ(uut.deadline(), start + control_patience);
  uut.take("{\"op\":");
  EXPECT_EQ(uut.deadline(), start + control_patience) << "a part of a line is no sign of life";

  uut.take("\"status\"}\n");
  ASSERT_TRUE(uut.next());
  EXPECT_FALSE(uut.deadline());
  uut.answer("fine", start + 60s);

  EXPECT_EQ(uut.deadline(), start + 60s + control_patience);
}

TEST(control_conversation, dismissed_says_why_and_hears_no_more) {
  control_conversation uut{start};
  uut.take(status_line);
  ASSERT_TRUE(uut.next());

  uut.dismiss({ec::unreachable, "the experiment ended"});
  uut.answer("too late", start);
  uut.take(status_line);

  EXPECT_FALSE(uut.next());
  auto text = drained(uut);
  EXPECT_THAT(text, HasSubstr("the experiment ended"));
  EXPECT_EQ(text.find("too late"), text.npos);
  EXPECT_TRUE(uut.is_over());
}

} // namespace
} // namespace tune
