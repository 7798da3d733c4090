// SPDX-License-Identifier: BSD-3-Clause
#include "hyperband_player.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tune {
namespace {

using hyperband::for_bohb;
using support::hyperband_player;
using support::text_of;
using support::verbs;
using support::with;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

TEST(hb_bohb, fills_the_bracket_that_halves_most_first) {
  hyperband_player uut{for_bohb(), with(8, 2)};
  uut.add(0, 22);

  EXPECT_THAT(text_of(uut.report(0, 1, 1)),
              HasSubstr("pause 0 rule=hb_bohb band=0 bracket=3 rung=1 value=1 waits_for=7"));
  EXPECT_THAT(text_of(uut.report(8, 2, 1)), HasSubstr("band=0 bracket=2 rung=2"));
  EXPECT_THAT(text_of(uut.report(14, 4, 1)), HasSubstr("band=0 bracket=1 rung=4"));
  EXPECT_THAT(text_of(uut.report(18, 8, 1)), HasSubstr("band=0 bracket=0 rung=8"));
  EXPECT_THAT(text_of(uut.report(22, 1, 1)), HasSubstr("band=1 bracket=3 rung=1"));
}

TEST(hb_bohb, leaves_out_a_bracket_whose_first_milestone_would_be_0) {
  hyperband_player uut{for_bohb(), with(20, 3)};
  uut.add(0, 12);

  EXPECT_THAT(text_of(uut.report(0, 2, 1)), HasSubstr("bracket=2 rung=2"));
  EXPECT_THAT(text_of(uut.report(12, 6, 1)), HasSubstr("bracket=1 rung=6"));
}

TEST(hb_bohb, starts_brackets_as_they_were_opened) {
  hyperband_player uut{for_bohb(), with(8, 2)};
  uut.add(0, 9);
  uut.tell.tell(fact::started{{0}});
  uut.report(0, 1, 1);

  EXPECT_THAT(uut.next(3), ElementsAre(1u, 2u, 3u));
}

TEST(hb_bohb, waits_until_its_bracket_is_full) {
  hyperband_player uut{for_bohb(), with(8, 2)};
  uut.add(0, 6);
  uut.start_all();
  for (std::uint64_t trial = 0; trial < 6; ++trial)
    uut.report(trial, 1, static_cast<double>(trial));

  EXPECT_THAT(
      text_of(uut.report(6, 1, 6)),
      HasSubstr("pause 6 rule=hb_bohb band=0 bracket=3 rung=1 value=6 waits_for=0 why=waits "
                "at iteration 1 until its bracket is full"));
  uut.add(7, 7);
  uut.start_all();
  EXPECT_EQ(verbs(uut.report(7, 1, 7)),
            "go_on 7; stop 0; stop 1; stop 2; stop 3; allow 4; allow 5; allow 6");
}

TEST(hb_bohb, decides_about_a_part_when_nothing_else_can_run) {
  hyperband_player uut{for_bohb(), with(8, 2)};
  uut.add(0, 5);
  uut.start_all();
  for (std::uint64_t trial = 0; trial < 6; ++trial)
    uut.report(trial, 1, static_cast<double>(trial));
  EXPECT_THAT(uut.next(), IsEmpty());

  auto verdict = uut.stall();

  EXPECT_EQ(verbs(verdict), "stop 0; stop 1; allow 2; allow 3; allow 4; allow 5");
  EXPECT_THAT(text_of(verdict), HasSubstr("compared=6 kept=4 cutoff=2 forced=nothing else could "
                                          "run why=0 at iteration 1 is rank 6 of 6, and 4 go on"));
  EXPECT_THAT(uut.next(), ElementsAre(2u, 3u, 4u, 5u));
  uut.start_all();
  EXPECT_EQ(text_of(uut.report(2, 1, 1)), "go_on 2; annotate 2 rule=hb_bohb budget=2")
      << "what was decided by force is not told once more";
  EXPECT_EQ(text_of(uut.report(2, 2, 1)).substr(0, 7), "pause 2");
}

TEST(hb_bohb, tells_a_forced_verdict_twice_as_heads_once_did) {
  auto what = with(8, 2);
  what.repeats_forced = true;
  hyperband_player uut{for_bohb(), what};
  uut.add(0, 5);
  uut.start_all();
  for (std::uint64_t trial = 0; trial < 6; ++trial)
    uut.report(trial, 1, static_cast<double>(trial));
  uut.stall();
  uut.start_all();

  EXPECT_THAT(text_of(uut.report(2, 1, 1)), HasSubstr("compared=5 kept=4"));
}

TEST(hb_bohb, takes_a_forced_decision_only_as_far_as_it_still_fits) {
  hyperband_player uut{for_bohb(), with(8, 2)};
  uut.add(0, 5);
  uut.start_all();
  for (std::uint64_t trial = 0; trial < 6; ++trial)
    uut.report(trial, 1, static_cast<double>(trial));
  auto verdict = uut.uut.on_stall(99);
  // A client adds a trial before the answer arrives.
  uut.add(6, 6);

  uut.carry_out(verdict);

  // The allowed trials start when no other can.
  EXPECT_THAT(uut.next(), ElementsAre(6u, 2u, 3u, 4u, 5u));
  uut.tell.choose(1);
  // The bracket still has room for eight trials, and holds five.
  EXPECT_EQ(verbs(uut.report(6, 1, 6)), "pause 6");
  EXPECT_EQ(verbs(uut.stall()), "stop 2; allow 6");
  EXPECT_THAT(uut.next(), ElementsAre(3u, 4u, 5u, 6u));
}

TEST(hb_bohb, decides_without_those_that_left_a_bracket_which_takes_no_more) {
  hyperband_player uut{for_bohb(), with(8, 2)};
  uut.add(0, 8);
  uut.start_all();
  uut.tell.end(0, fact::end_kind::errored);
  for (std::uint64_t trial = 1; trial < 7; ++trial)
    EXPECT_EQ(verbs(uut.report(trial, 1, 1)), "pause " + std::to_string(trial));

  EXPECT_EQ(verbs(uut.report(7, 1, 1)),
            "go_on 7; stop 1; stop 2; stop 3; allow 4; allow 5; allow 6");
}

TEST(hb_bohb, decides_when_one_leaves_and_all_others_wait) {
  hyperband_player uut{for_bohb(), with(8, 2)};
  uut.add(0, 8);
  uut.start_all();
  for (std::uint64_t trial = 0; trial < 7; ++trial)
    uut.report(trial, 1, 1);
  uut.tell.end(7, fact::end_kind::errored);

  EXPECT_EQ(verbs(uut.report(8, 1, 1)),
            "go_on 8; stop 0; stop 1; stop 2; allow 3; allow 4; allow 5; allow 6");
}

TEST(hb_bohb, notes_the_milestone_as_budget_when_it_changes) {
  hyperband_player uut{for_bohb(), with(8, 2)};
  uut.add(0, 13);
  uut.start_all();

  EXPECT_EQ(text_of(uut.report(8, 1, 1)), "go_on 8; annotate 8 rule=hb_bohb budget=2");
  EXPECT_THAT(text_of(uut.report(8, 2, 9)), Not(HasSubstr("budget")));
  for (std::uint64_t trial = 9; trial < 13; ++trial)
    EXPECT_THAT(text_of(uut.report(trial, 2, 1)), HasSubstr("rule=hb_bohb budget=2"));
  EXPECT_THAT(text_of(uut.report(13, 2, 5)), HasSubstr("annotate 13 rule=hb_bohb budget=2"));
  EXPECT_EQ(text_of(uut.report(13, 3, 1)), "go_on 13; annotate 13 rule=hb_bohb budget=4");
  EXPECT_EQ(text_of(uut.report(13, 3, 1)), "go_on 13");
}

} // namespace
} // namespace tune
