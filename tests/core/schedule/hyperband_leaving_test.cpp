// SPDX-License-Identifier: BSD-3-Clause
#include "hyperband_player.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tune {
namespace {

using hyperband::plain;
using support::hyperband_player;
using support::text_of;
using support::verbs;
using support::with;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

class band_of_eight_left : public support::hyperband_band {};

TEST_F(band_of_eight_left, fills_up_a_bracket_that_trials_have_left) {
  uut.add(22, 25);
  uut.tell.end(24, fact::end_kind::errored);
  uut.add(26, 26);

  EXPECT_THAT(text_of(uut.report(26, 8, 1)), HasSubstr("band=1 bracket=0 rung=8"));
}

TEST_F(band_of_eight_left, a_trial_that_ends_leaves_its_bracket) {
  for (auto how : {fact::end_kind::completed, fact::end_kind::errored, fact::end_kind::removed}) {
    SCOPED_TRACE(static_cast<int>(how));
    hyperband_player each{plain(), with(8, 2)};
    each.add(0, 8);
    each.start_all();
    for (std::uint64_t trial : {4, 5, 6})
      each.report(trial, 4, static_cast<double>(trial));
    each.tell.end(7, how);

    // Two of three are kept. They may start at once; the next judgement says what was decided.
    EXPECT_THAT(each.next(), ElementsAre(5u, 6u));
    EXPECT_EQ(verbs(each.report(0, 1, 1)), "go_on 0; stop 4; allow 5; allow 6");
    EXPECT_EQ(text_of(each.report(0, 2, 1)), "go_on 0");
  }
}

TEST_F(band_of_eight_left, looks_again_at_a_bracket_that_has_halved_before) {
  // The situation in which Ray Tune stalls: the last running trial fails, and its peers wait for
  // ever.
  for (std::uint64_t trial : {4, 5, 6, 7})
    uut.report(trial, 4, static_cast<double>(trial));
  uut.start_all();
  uut.report(6, 8, 1);
  uut.tell.end(7, fact::end_kind::errored);

  EXPECT_EQ(text_of(uut.uut.on_stall(99)),
            "stop 6 rule=hyperband band=0 bracket=1 rung=8 value=1 rank=1 compared=1 kept=0 "
            "why=reached the end of its bracket, iteration 8");
  EXPECT_EQ(verbs(uut.report(0, 1, 1)), "go_on 0; stop 6");
}

TEST_F(band_of_eight_left, one_that_failed_begins_anew_in_the_newest_bracket) {
  uut.add(22, 22);
  for (std::uint64_t trial : {4, 5, 6})
    uut.report(trial, 4, static_cast<double>(trial));
  uut.tell.tell(fact::failed{{7}});
  EXPECT_EQ(verbs(uut.report(0, 1, 1)), "go_on 0; stop 4; allow 5; allow 6");

  uut.tell.add(7, true);

  EXPECT_EQ(uut.next().back(), 7u);
  EXPECT_THAT(text_of(uut.report(7, 9, 1)), HasSubstr("band=1 bracket=0 rung=8"));
}

TEST_F(band_of_eight_left, an_empty_bracket_stays_as_it_is) {
  uut.add(22, 26);
  // Trial 26 is alone in bracket 1 of band 1.
  uut.tell.tell(fact::failed{{26}});
  uut.tell.add(26, true);
  uut.add(27, 27);

  EXPECT_THAT(text_of(uut.report(26, 4, 1)), HasSubstr("band=1 bracket=1 rung=4"));
}

TEST_F(band_of_eight_left, one_that_comes_back_keeps_its_place) {
  uut.add(22, 22);
  uut.report(4, 3, 1);

  uut.tell.add(4, true);

  EXPECT_THAT(uut.next(), ElementsAre(4u, 22u));
  EXPECT_EQ(verbs(uut.report(4, 4, 1)), "pause 4");
}

TEST_F(band_of_eight_left, starts_one_that_waited_and_came_back_when_nobody_else_can_be) {
  uut.add(22, 23);
  uut.report(4, 4, 9);
  uut.tell.add(4, true);

  EXPECT_THAT(uut.next(), ElementsAre(22u, 23u, 4u));
  uut.start_all();
  EXPECT_EQ(verbs(uut.report(4, 5, 9)), "pause 4");
  EXPECT_THAT(uut.next(), IsEmpty());
}

TEST_F(band_of_eight_left, one_that_waited_and_came_back_goes_on_when_the_others_have_come) {
  uut.report(4, 4, 9);
  uut.tell.add(4, true);
  for (std::uint64_t trial : {5, 6})
    uut.report(trial, 4, 1);

  // Trial 4 is in the queue already, so it needs no `allow`.
  EXPECT_EQ(verbs(uut.report(7, 4, 8)), "go_on 7; stop 5; stop 6");
  EXPECT_THAT(uut.next(), ElementsAre(4u));
}

TEST_F(band_of_eight_left, tells_of_a_trial_whose_pause_is_not_complete) {
  uut.tell.judged(4, 4, 9);
  for (std::uint64_t trial : {5, 6})
    uut.report(trial, 4, 1);

  auto verdict = text_of(uut.report(7, 4, 8));

  EXPECT_THAT(verdict, HasSubstr("annotate 4 rule=hyperband band=0 bracket=1 rung=4 value=9"));
  EXPECT_THAT(uut.next(), IsEmpty());
  uut.tell.tell(fact::paused{{4}, {1}});
  EXPECT_THAT(uut.next(), ElementsAre(4u));
}

TEST_F(band_of_eight_left, one_whose_pause_failed_goes_on_when_the_others_have_come) {
  uut.tell.judged(4, 4, 9);
  for (std::uint64_t trial : {5, 6, 7})
    uut.report(trial, 4, 1);

  EXPECT_EQ(text_of(uut.report(4, 5, 9)), "go_on 4");
}

TEST_F(band_of_eight_left, compares_what_was_reported_first_at_the_milestone) {
  uut.tell.judged(4, 4, 9);
  EXPECT_EQ(verbs(uut.report(4, 5, 0)), "pause 4");
  for (std::uint64_t trial : {5, 6})
    uut.report(trial, 4, 1);

  EXPECT_EQ(verbs(uut.report(7, 4, 8)), "go_on 7; allow 4; stop 5; stop 6");
}

TEST_F(band_of_eight_left, one_that_came_back_pauses_at_its_milestone_without_a_result) {
  uut.tell.judged(4, 4, 9);
  uut.tell.add(4, true);
  uut.tell.choose(1);
  uut.tell.tell(fact::paused{{4}, {1}});
  EXPECT_THAT(uut.next(), IsEmpty());
  for (std::uint64_t trial : {5, 6})
    uut.report(trial, 4, 1);

  EXPECT_EQ(verbs(uut.report(7, 4, 8)), "go_on 7; allow 4; stop 5; stop 6");
}

TEST_F(band_of_eight_left, does_not_choose_one_whose_verdict_is_on_its_way) {
  for (std::uint64_t trial : {4, 5, 6})
    uut.report(trial, 4, static_cast<double>(trial));
  auto cause = uut.tell.result(7, 4, 9);
  EXPECT_THAT(uut.next(), IsEmpty());

  uut.carry_out(uut.uut.judge(cause, {7}));

  EXPECT_THAT(uut.next(), ElementsAre(6u));
}

TEST_F(band_of_eight_left, needs_no_verdict_of_one_that_was_lost_meanwhile) {
  for (std::uint64_t trial : {4, 5, 6})
    uut.report(trial, 4, static_cast<double>(trial));
  uut.tell.result(7, 4, 9);
  uut.tell.add(7, true);

  EXPECT_THAT(uut.next(), ElementsAre(6u, 7u));
  EXPECT_EQ(verbs(uut.report(0, 1, 1)), "go_on 0; stop 4; stop 5; allow 6");
}

TEST_F(band_of_eight_left, tells_nothing_with_the_judgement_of_another_report) {
  for (std::uint64_t trial : {4, 5, 6})
    uut.report(trial, 4, static_cast<double>(trial));
  auto last = uut.tell.result(7, 4, 9);
  auto other = uut.tell.result(0, 1, 9);

  EXPECT_EQ(text_of(uut.uut.judge(other, {0})), "go_on 0");
  EXPECT_EQ(verbs(uut.uut.judge(last, {7})), "go_on 7; stop 4; stop 5; allow 6");
}

TEST_F(band_of_eight_left, answers_late_as_things_stand_then) {
  auto first = uut.tell.result(4, 4, 9);
  EXPECT_EQ(verbs(uut.uut.judge(first, {4})), "pause 4");
  for (std::uint64_t trial : {5, 6, 7})
    uut.report(trial, 4, 1);

  EXPECT_EQ(verbs(uut.uut.judge(first, {4})), "go_on 4");
}

TEST_F(band_of_eight_left, stops_again_one_that_reports_or_comes_back_after_its_stop) {
  for (std::uint64_t trial : {4, 5, 6})
    uut.report(trial, 4, static_cast<double>(trial));
  auto verdict = uut.uut.judge(uut.tell.result(7, 4, 1), {7});
  uut.tell.tell(fact::decided{verdict, {}});
  EXPECT_THAT(text_of(uut.report(0, 1, 1)), "go_on 0");

  EXPECT_THAT(text_of(uut.uut.judge(uut.tell.result(4, 5, 99), {4})), HasSubstr("stop 4 rule="));
  uut.tell.tell(fact::failed{{4}});
  uut.tell.add(4, true);
  EXPECT_THAT(uut.next(), Not(testing::Contains(4u)));
  EXPECT_THAT(verbs(uut.uut.on_stall(99)), HasSubstr("stop 4"));
}

TEST_F(band_of_eight_left, does_not_name_again_whom_a_client_holds) {
  for (std::uint64_t trial : {4, 5, 6})
    uut.report(trial, 4, static_cast<double>(trial));
  auto verdict = uut.uut.judge(uut.tell.result(7, 4, 9), {7});
  // The verdict is go_on 7, annotate 7, stop 4, stop 5, allow 6; the last is refused.
  uut.tell.tell(fact::decided{verdict, {4}});
  EXPECT_THAT(uut.next(), ElementsAre(6u));

  uut.tell.tell(fact::chosen{{1, {{6}}}, {{6}}});
  EXPECT_THAT(uut.next(), IsEmpty());
  uut.tell.tell(fact::unpaused{{6}});

  EXPECT_THAT(uut.next(), ElementsAre(6u));
}

TEST_F(band_of_eight_left, starts_one_that_a_client_unpaused_when_nobody_else_can_be) {
  uut.add(22, 22);
  uut.report(4, 4, 9);
  uut.tell.tell(fact::unpaused{{4}});

  EXPECT_THAT(uut.next(), ElementsAre(22u, 4u));
}

TEST(hyperband_left, ends_what_a_client_paused_when_nothing_else_is_left) {
  hyperband_player uut{plain(), with(8, 2)};
  uut.add(0, 0);
  uut.start_all();
  uut.tell.tell(fact::paused{{0}, {1}});
  uut.tell.tell(fact::chosen{{1, {{0}}}, {{0}}});

  EXPECT_EQ(text_of(uut.uut.on_stall(5)), "stop 0 rule=hyperband why=not promoted");
}

} // namespace
} // namespace tune
