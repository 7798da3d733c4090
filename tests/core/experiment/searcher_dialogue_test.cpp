// SPDX-License-Identifier: BSD-3-Clause
#include "../../../src/core/experiment/searcher_dialogue.hpp"

#include <gtest/gtest.h>

#include <chrono>

namespace tune {
namespace {

using std::chrono::seconds;
using step = idle_wait::step;

ask question(std::uint64_t number) {
  ask result;
  result.number = number;
  return result;
}

TEST(searcher_dialogue, has_one_open_question_at_most) {
  searcher_dialogue uut;
  EXPECT_TRUE(uut.may_be_asked());
  EXPECT_EQ(uut.next(), 1u);
  uut.put(question(1));
  EXPECT_FALSE(uut.may_be_asked());
  uut.put(question(2));
  EXPECT_EQ(uut.close().number, 2u);
  EXPECT_FALSE(uut.is_open());
  EXPECT_EQ(uut.next(), 3u);
}

TEST(searcher_dialogue, waits_after_an_answer_without_suggestions) {
  searcher_dialogue uut;
  uut.put(question(1));
  uut.note_answer(false);
  static_cast<void>(uut.close());
  EXPECT_TRUE(uut.waits());
  EXPECT_FALSE(uut.may_be_asked());

  uut.hear();
  EXPECT_FALSE(uut.waits());
  EXPECT_TRUE(uut.may_be_asked());
}

TEST(searcher_dialogue, does_not_wait_after_news_that_the_answer_may_not_account_for) {
  searcher_dialogue uut;
  uut.put(question(1));
  uut.hear();
  uut.note_answer(false);

  EXPECT_FALSE(uut.waits());
}

TEST(searcher_dialogue, does_not_wait_after_suggestions) {
  searcher_dialogue uut;
  uut.put(question(1));
  uut.note_answer(true);

  EXPECT_FALSE(uut.waits());
}

TEST(searcher_dialogue, forgets_why_it_ended_when_there_may_be_more) {
  searcher_dialogue uut;
  uut.end();
  uut.set_end("no more");
  EXPECT_TRUE(uut.is_done());
  EXPECT_EQ(uut.why_ended(), "no more");

  uut.reopen(false);
  EXPECT_FALSE(uut.is_done());
  EXPECT_EQ(uut.why_ended(), "");
}

/// Waits until the next question is due, and asks it.
/// @returns the time of the question.
instant next_question(idle_wait& uut, instant now, step expected) {
  EXPECT_EQ(uut.wait(now, seconds{60}), expected);
  auto result = uut.again_at().value_or(instant{-1});
  uut.ask_now();
  return result;
}

TEST(idle_wait, asks_at_growing_intervals_and_tells_people_once) {
  idle_wait uut;
  auto now = next_question(uut, seconds{100}, step::waits);
  EXPECT_EQ(now, seconds{101});
  now = next_question(uut, now, step::waits);
  EXPECT_EQ(now, seconds{103});
  now = next_question(uut, now, step::waits_long);
  EXPECT_EQ(now, seconds{107});
  now = next_question(uut, now, step::waits);
  EXPECT_EQ(now, seconds{115});
  now = next_question(uut, now, step::waits);
  EXPECT_EQ(now, seconds{131});
  now = next_question(uut, now, step::waits);
  EXPECT_EQ(now, seconds{147});
}

TEST(idle_wait, is_over_when_the_patience_is) {
  idle_wait uut;
  EXPECT_EQ(uut.wait(seconds{5}, seconds{2}), step::waits);
  EXPECT_EQ(uut.wait(seconds{6}, seconds{2}), step::waits);
  EXPECT_EQ(uut.again_at(), seconds{7});
  EXPECT_EQ(uut.wait(seconds{7}, seconds{2}), step::over);
}

TEST(idle_wait, begins_anew_after_a_trial_has_come) {
  idle_wait uut;
  EXPECT_EQ(uut.wait(seconds{5}, seconds{1}), step::waits);
  uut.ask_now();
  uut.end();
  EXPECT_EQ(uut.wait(seconds{50}, seconds{1}), step::waits);
}

} // namespace
} // namespace tune
