// SPDX-License-Identifier: BSD-3-Clause
#include "../../../src/core/experiment/scheduler_questions.hpp"

#include <gtest/gtest.h>

#include <set>

namespace tune {
namespace {

constexpr trial_id one{1};
constexpr trial_id two{2};

fact::decided verdict_of(decltype(action::what) what) {
  fact::decided result;
  action doing;
  doing.trial = one;
  doing.what = std::move(what);
  result.what.actions.push_back(std::move(doing));
  return result;
}

TEST(makes_answers_old, holds_for_news_that_bear_on_whom_to_start) {
  EXPECT_TRUE(makes_answers_old(fact::node_down{"a"}));
  EXPECT_TRUE(makes_answers_old(verdict_of(pause_trial{})));
  EXPECT_FALSE(makes_answers_old(fact::result{}));
  EXPECT_FALSE(makes_answers_old(verdict_of(go_on{})));
}

TEST(verdict_questions, counts_an_answer_once) {
  verdict_questions uut;
  uut.ask(3, one);
  uut.ask(5, two);

  EXPECT_EQ(uut.oldest(), 3u);
  EXPECT_FALSE(uut.answer(5));
  EXPECT_FALSE(uut.is_open(5));
  EXPECT_FALSE(uut.answer(5));
  EXPECT_TRUE(uut.answer(3));
  EXPECT_EQ(uut.oldest(), std::nullopt);
}

TEST(verdict_questions, outlive_the_attempt_that_waits) {
  verdict_questions uut;
  uut.ask(3, one);
  uut.await(3, one);
  EXPECT_EQ(uut.waiting(3), one);
  uut.stop_waiting(3);

  EXPECT_EQ(uut.waiting(3), std::nullopt);
  EXPECT_TRUE(uut.is_open(3));
}

TEST(verdict_questions, forgets_what_is_void) {
  verdict_questions uut;
  uut.ask(3, one);
  uut.ask(5, two);
  uut.forget_if([](sequence, trial_id x) { return x == one; });

  EXPECT_FALSE(uut.is_open(3));
  EXPECT_TRUE(uut.is_open(5));
}

TEST(verdict_questions, gives_the_trials_with_kept_checkpoints_once) {
  verdict_questions uut;
  uut.keep_for_answers(two);
  uut.keep_for_answers(two);

  EXPECT_EQ(uut.take_kept(), std::set<trial_id>{two});
  EXPECT_TRUE(uut.kept().empty());
}

TEST(choice_question, knows_whether_the_scheduler_heard_anything_since) {
  choice_question uut;
  uut.hear(fact::node_down{"a"});
  uut.ask(4, 2);
  EXPECT_TRUE(uut.is_open());
  EXPECT_FALSE(uut.has_news());

  uut.hear(fact::result{});
  EXPECT_FALSE(uut.has_news());
  uut.hear(fact::node_down{"a"});
  EXPECT_TRUE(uut.has_news());
  uut.close();
  EXPECT_FALSE(uut.is_open());
}

TEST(choice_question, asks_again_after_any_news) {
  choice_question uut;
  uut.note_nobody();
  EXPECT_TRUE(uut.has_nobody());
  uut.hear(fact::result{});
  EXPECT_FALSE(uut.has_nobody());
}

TEST(choice_question, counts_refused_answers_in_a_row) {
  choice_question uut;
  uut.note_answer(true);
  uut.hear(fact::chosen{});
  uut.note_answer(true);
  EXPECT_EQ(uut.refused(), 2u);

  uut.hear(fact::result{});
  EXPECT_EQ(uut.refused(), 0u);
  uut.note_answer(true);
  uut.note_answer(false);
  EXPECT_EQ(uut.refused(), 0u);
}

TEST(stall_question, knows_whether_the_stall_may_be_resolved) {
  stall_question uut;
  uut.hear(fact::node_down{"a"});
  uut.ask(4);
  EXPECT_EQ(uut.at(), 4u);
  EXPECT_FALSE(uut.has_news());
  uut.hear(fact::node_down{"a"});
  EXPECT_TRUE(uut.has_news());
}

} // namespace
} // namespace tune
