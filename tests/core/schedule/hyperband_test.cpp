// SPDX-License-Identifier: BSD-3-Clause
#include "hyperband_player.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>

namespace tune {
namespace {

using hyperband::plain;
using support::hyperband_player;
using support::scheduler_feed;
using support::text_of;
using support::verbs;
using support::with;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

const double nan = std::nan("");
constexpr auto infinity = std::numeric_limits<double>::infinity();

/// Number of trials and first milestone of each bracket of a band.
std::vector<std::pair<int, double>> table(double max_t, double eta) {
  std::vector<std::pair<int, double>> result;
  for (const auto& x : hyperband::plans_of(with(max_t, eta)))
    result.emplace_back(static_cast<int>(x.trials), x.milestone);
  return result;
}
class band_of_eight : public support::hyperband_band {};

TEST(hyperband_table, has_the_brackets_of_the_rule) {
  using pairs = std::vector<std::pair<int, double>>;
  EXPECT_EQ(table(81, 3), (pairs{{5, 81}, {8, 27}, {15, 9}, {34, 3}, {81, 1}}));
  EXPECT_EQ(table(8, 2), (pairs{{4, 8}, {4, 4}, {6, 2}, {8, 1}}));
}

TEST(hyperband_table, leaves_out_a_bracket_whose_first_milestone_would_be_0) {
  using pairs = std::vector<std::pair<int, double>>;
  EXPECT_EQ(table(20, 3), (pairs{{4, 20}, {6, 6}, {12, 2}}));
  EXPECT_EQ(table(1, 3), (pairs{{1, 1}}));
}

TEST(hyperband_table, keeps_a_milestone_that_powers_would_round_away) {
  using pairs = std::vector<std::pair<int, double>>;
  EXPECT_EQ(table(49, 7), (pairs{{3, 49}, {11, 7}, {49, 1}}));
  EXPECT_EQ(table(729, 3).back(), (std::pair<int, double>{729, 1}));
  EXPECT_EQ(table(243, 3).back(), (std::pair<int, double>{243, 1}));
  EXPECT_EQ(table(1000, 10).back(), (std::pair<int, double>{1000, 1}));
  EXPECT_EQ(table(10, 10).back(), (std::pair<int, double>{10, 1}));
}

TEST(hyperband_table, rounds_the_number_of_brackets_and_halves_to_even) {
  // Logarithms of max_t to the base of the factor: 1.5, 2.5, 2.73, 2.26.
  EXPECT_EQ(hyperband::places_of(with(8, 4), 100), 3u);
  EXPECT_EQ(hyperband::places_of(with(32, 4), 100), 3u);
  EXPECT_EQ(hyperband::places_of(with(20, 3), 100), 4u);
  EXPECT_EQ(hyperband::places_of(with(12, 3), 100), 3u);
  EXPECT_EQ(hyperband::places_of(with(1e12, 1.0000001), 100), 100u);
}

TEST(hyperband_table, counts_each_round_from_the_milestone_before) {
  std::vector<double> work;
  for (const auto& x : hyperband::plans_of(with(81, 3)))
    work.push_back(x.work);

  // 5·81; 8·27 + 3·54; 15·9 + 5·18 + 2·54; 34·3 + 12·6 + 4·18 + 2·54; 81 + 27·2 + 9·6 + 3·18 + 54.
  EXPECT_THAT(work, ElementsAre(405, 378, 333, 354, 297));
}

TEST_F(band_of_eight, fills_the_bracket_that_never_halves_first) {
  uut.add(22, 22);

  EXPECT_EQ(text_of(uut.report(0, 8, 0.5)),
            "pause 0 rule=hyperband band=0 bracket=0 rung=8 value=0.5 waits_for=3 why=waits at "
            "iteration 8 for 3 others of its bracket");
  EXPECT_THAT(text_of(uut.report(4, 4, 1)), HasSubstr("band=0 bracket=1 rung=4 "));
  EXPECT_THAT(text_of(uut.report(8, 2, 1)), HasSubstr("band=0 bracket=2 rung=2 "));
  EXPECT_THAT(text_of(uut.report(14, 1, 1)), HasSubstr("band=0 bracket=3 rung=1 "));
  // This trial opens a new band.
  uut.add(23, 23);
  EXPECT_THAT(text_of(uut.report(22, 8, 1)), HasSubstr("band=1 bracket=0 rung=8 "));
}

TEST_F(band_of_eight, lets_a_trial_train_to_its_milestone) {
  for (int t = 1; t < 8; ++t)
    EXPECT_EQ(text_of(uut.report(0, t, 0)), "go_on 0");
}

TEST_F(band_of_eight, halves_when_the_last_has_come) {
  EXPECT_EQ(verbs(uut.report(4, 4, 1)), "pause 4");
  EXPECT_EQ(verbs(uut.report(5, 4, 4)), "pause 5");
  EXPECT_EQ(verbs(uut.report(6, 4, 2)), "pause 6");
  EXPECT_THAT(uut.next(), IsEmpty());

  EXPECT_EQ(verbs(uut.report(7, 4, 3)), "go_on 7; stop 4; allow 5; stop 6");
  EXPECT_THAT(uut.next(), ElementsAre(5u));
}

TEST_F(band_of_eight, says_why_at_a_milestone) {
  for (std::uint64_t trial : {4, 5, 6})
    uut.report(trial, 4, 0.1 * static_cast<double>(trial));

  EXPECT_EQ(
      text_of(uut.report(7, 5, 0.55)),
      "go_on 7; annotate 7 rule=hyperband band=0 bracket=1 rung=4 value=0.55 rank=2 "
      "compared=4 kept=2 cutoff=0.55 why=0.55 at iteration 5 is rank 2 of 4: it goes on to 8; "
      "stop 4 rule=hyperband band=0 bracket=1 rung=4 value=0.4 rank=4 compared=4 kept=2 "
      "cutoff=0.55 why=0.4 at iteration 4 is rank 4 of 4, and 2 go on; "
      "stop 5 rule=hyperband band=0 bracket=1 rung=4 value=0.5 rank=3 compared=4 kept=2 "
      "cutoff=0.55 why=0.5 at iteration 4 is rank 3 of 4, and 2 go on; "
      "allow 6 rule=hyperband band=0 bracket=1 rung=4 value=0.6000000000000001 rank=1 "
      "compared=4 kept=2 cutoff=0.55 why=0.6 at iteration 4 is rank 1 of 4: it "
      "goes on to 8");
}

TEST(hyperband, gives_reasons_in_the_metrics_own_numbers) {
  hyperband_player uut{plain(), with(2, 2), false};
  uut.add(0, 3);
  // Bracket 1 is (2, 1). A loss arrives negated.
  uut.report(2, 1, -3);

  auto verdict = text_of(uut.report(3, 1, -5));

  EXPECT_THAT(verdict, HasSubstr("stop 3 rule=hyperband band=0 bracket=1 rung=1 value=5 rank=2 "
                                 "compared=2 kept=1 cutoff=3 why=5 at iteration 1 is rank 2 of 2, "
                                 "and 1 goes on"));
}

TEST_F(band_of_eight, stops_the_reporting_one_if_it_is_bad) {
  for (std::uint64_t trial : {4, 5, 6})
    uut.report(trial, 4, 5);

  EXPECT_EQ(verbs(uut.report(7, 4, 1)), "stop 7; stop 4; allow 5; allow 6");
}

TEST_F(band_of_eight, of_equal_ones_those_that_came_later_go_on) {
  for (std::uint64_t trial : {7, 5, 4})
    uut.report(trial, 4, 1);

  EXPECT_EQ(verbs(uut.report(6, 4, 1)), "go_on 6; stop 4; stop 5; allow 7");
}

TEST_F(band_of_eight, takes_nan_for_the_worst) {
  uut.report(4, 4, nan);
  uut.report(5, 4, -infinity);
  uut.report(6, 4, 1);

  EXPECT_EQ(verbs(uut.report(7, 4, nan)), "stop 7; stop 4; allow 5; allow 6");
}

TEST_F(band_of_eight, ends_a_bracket_at_its_last_milestone) {
  for (std::uint64_t trial : {4, 5, 6, 7})
    uut.report(trial, 4, static_cast<double>(trial));
  uut.start_all();
  for (int t = 5; t < 8; ++t)
    EXPECT_EQ(verbs(uut.report(6, t, 1)), "go_on 6");
  EXPECT_EQ(verbs(uut.report(6, 8, 1)), "pause 6");

  auto verdict = uut.report(7, 8, 2);

  EXPECT_EQ(verbs(verdict), "stop 7; stop 6");
  EXPECT_THAT(text_of(verdict),
              HasSubstr("stop 6 rule=hyperband band=0 bracket=1 rung=8 value=1 rank=2 compared=2 "
                        "kept=0 why=reached the end of its bracket, iteration 8"));
}

TEST_F(band_of_eight, milestones_are_absolute) {
  // Bracket 3 is (8, 1): then 4 trials train to 2, 2 to 4, and 1 to 8.
  for (std::uint64_t trial = 14; trial <= 21; ++trial)
    uut.report(trial, 1, static_cast<double>(trial));
  for (std::uint64_t trial = 18; trial < 21; ++trial)
    EXPECT_EQ(verbs(uut.report(trial, 2, static_cast<double>(trial))),
              "pause " + std::to_string(trial));
  EXPECT_EQ(verbs(uut.report(21, 2, 0)), "stop 21; stop 18; allow 19; allow 20");
  EXPECT_EQ(verbs(uut.report(19, 3, 1)), "go_on 19");
  EXPECT_EQ(verbs(uut.report(19, 4, 1)), "pause 19");
  EXPECT_EQ(verbs(uut.report(20, 4, 2)), "go_on 20; stop 19");
  EXPECT_EQ(verbs(uut.report(20, 7, 2)), "go_on 20");
  EXPECT_EQ(verbs(uut.report(20, 8, 2)), "stop 20");
}

TEST_F(band_of_eight, compares_the_first_results_at_the_milestone_of_those_that_went_too_far) {
  // The pause of trial 4 failed, so it trains on.
  uut.report(4, 4, 1);
  EXPECT_EQ(verbs(uut.report(4, 5, 9)), "pause 4");
  uut.report(5, 4, 5);
  uut.report(6, 4, 5);

  EXPECT_EQ(verbs(uut.report(7, 4, 6)), "go_on 7; stop 4; stop 5; allow 6");
}

TEST_F(band_of_eight, lets_one_that_jumped_beyond_the_next_milestone_wait_there) {
  uut.report(4, 4, 1);
  uut.report(5, 8, 9);
  uut.report(6, 4, 2);

  EXPECT_EQ(verbs(uut.report(7, 4, 3)), "go_on 7; stop 4; stop 6");
  EXPECT_EQ(verbs(uut.report(7, 8, 3)), "stop 7; stop 5");
}

TEST_F(band_of_eight, halves_again_where_all_that_are_kept_jumped) {
  for (std::uint64_t trial = 14; trial < 21; ++trial)
    uut.report(trial, 2, static_cast<double>(trial));

  // Four trials are kept for milestone 2, where they are already; two of them for milestone 4.
  EXPECT_EQ(verbs(uut.report(21, 2, 21)),
            "go_on 21; stop 14; stop 15; stop 16; stop 17; stop 18; stop 19; allow 20");
  EXPECT_EQ(verbs(uut.report(21, 3, 21)), "go_on 21");
}

TEST_F(band_of_eight, ends_where_all_jumped_beyond_the_end) {
  for (std::uint64_t trial : {4, 5, 6})
    uut.report(trial, 100, 1);

  EXPECT_EQ(verbs(uut.report(7, 8, 1)), "stop 7; stop 4; stop 5; stop 6");
}

TEST(hyperband, lets_the_last_trials_run_on_if_told_so) {
  hyperband_player uut{plain(), with(8, 2, false)};
  uut.add(0, 7);
  uut.start_all();
  for (double t : {7, 8, 9, 100})
    EXPECT_EQ(text_of(uut.report(0, t, 1)), "go_on 0");
  for (std::uint64_t trial : {4, 5, 6})
    EXPECT_EQ(verbs(uut.report(trial, 4, static_cast<double>(trial))),
              "pause " + std::to_string(trial));

  // A trial that has jumped beyond the end goes on all the same.
  EXPECT_EQ(verbs(uut.report(7, 50, 7)), "go_on 7; stop 4; stop 5; allow 6");
  EXPECT_EQ(text_of(uut.report(7, 51, 0)), "go_on 7");
}

TEST_F(band_of_eight, leaves_no_trace_of_results_without_time_or_score) {
  uut.tell.judged(4, nan, 1);
  fact::result empty;
  empty.trial = {4};
  empty.time = 100;
  auto cause = uut.tell.tell(empty);

  EXPECT_EQ(text_of(uut.uut.judge(cause, {4})), "go_on 4");
}

TEST_F(band_of_eight, halves_though_it_is_not_full) {
  uut.add(22, 27);
  // Band 1: bracket 0 holds trials 22 to 25, bracket 1 so far holds 26 and 27 of its 4.
  uut.report(26, 4, 2);

  EXPECT_EQ(verbs(uut.report(27, 4, 1)), "go_on 27; allow 26");
  // Bracket 1 has room for two now, and has them: the next trial opens another bracket.
  uut.add(28, 28);
  uut.add(29, 29);
  EXPECT_THAT(text_of(uut.report(28, 2, 1)), HasSubstr("band=1 bracket=2 rung=2"));
}

TEST(hyperband, starts_the_bracket_that_is_least_complete) {
  hyperband_player uut{plain(), with(8, 2)};
  uut.add(0, 13);
  // The first two trials of three brackets run: (4, 8), (4, 4) and (6, 2) take 32, 24 and 24
  // iterations in all.
  for (std::uint64_t trial : {0, 1, 4, 5, 8, 9})
    uut.tell.tell(fact::started{{trial}});
  EXPECT_THAT(uut.next(), ElementsAre(2u, 3u, 6u, 7u, 10u, 11u, 12u, 13u));

  uut.report(0, 4, 1);
  uut.report(4, 2, 1);
  uut.report(8, 1, 1);
  uut.report(9, 1, 1);
  uut.report(4, 3, 1);

  // Shares done: 4/32 = 3/24 > 2/24; brackets with equal shares come as they were opened.
  EXPECT_THAT(uut.next(), ElementsAre(10u, 11u, 12u, 13u, 2u, 3u, 6u, 7u));
  EXPECT_THAT(uut.next(1), ElementsAre(10u));
}

TEST(hyperband, starts_a_band_before_the_next) {
  hyperband_player uut{plain(), with(8, 2)};
  uut.add(0, 22);
  for (std::uint64_t trial = 0; trial < 21; ++trial)
    uut.tell.tell(fact::started{{trial}});
  for (std::uint64_t trial = 14; trial < 21; ++trial)
    uut.report(trial, 1, 1);

  EXPECT_THAT(uut.next(), ElementsAre(21u, 22u));
}

TEST(hyperband, runs_one_trial_to_the_end_of_its_bracket) {
  hyperband_player uut{plain(), with(81, 3)};
  uut.add(0, 0);
  uut.start_all();

  EXPECT_EQ(verbs(uut.report(0, 80, 1)), "go_on 0");
  EXPECT_EQ(verbs(uut.report(0, 81, 1)), "stop 0");
}

TEST(hyperband, reads_its_options) {
  auto entry = hyperband::make_entry();
  auto options = options::parse(entry.known, {{"max_t", "2"},
                                              {"time_attr", "epochs"},
                                              {"reduction_factor", "2"},
                                              {"stop_last_trials", "false"}});
  auto uut = std::move(*entry.make(*options, {}));

  EXPECT_EQ(uut->traits().time_attr, "epochs");
  EXPECT_TRUE(uut->traits().needs_checkpoints);
  EXPECT_EQ(uut->traits().choose_ahead, 1u);
  scheduler_feed tell{*uut};
  for (std::uint64_t trial : {0, 1, 2, 3})
    tell.add(trial);
  EXPECT_EQ(text_of(tell.judged(0, 9, 1)), "go_on 0");
  tell.judged(2, 1, 3);
  EXPECT_THAT(text_of(tell.judged(3, 1, 1)), HasSubstr("why=1 at epochs 1 is rank 2 of 2"));
}

TEST(hyperband, refuses_settings_that_make_no_sense) {
  for (const auto& entry : {hyperband::make_entry(), hyperband::make_bohb_entry()}) {
    auto detail = [&](std::map<std::string, std::string> written) {
      auto options = options::parse(entry.known, written);
      if (!options)
        return options.error().detail;
      auto result = entry.make(*options, {});
      return result ? std::string{} : result.error().detail;
    };

    EXPECT_EQ(detail({{"reduction_factor", "1"}}), "reduction_factor = 1: must be > 1");
    EXPECT_EQ(
        detail({{"reduction_factor", "1.000001"}}),
        "reduction_factor = 1.000001: too near to 1, a band would have more than 1000 brackets");
    EXPECT_THAT(detail({{"max_t", "0.5"}}), HasSubstr("max_t = 0.5: must be 1 to "));
    EXPECT_THAT(detail({{"max_t", "inf"}}), HasSubstr("must be 1 to "));
    EXPECT_THAT(detail({{"max_t", "nan"}}), HasSubstr("must be"));
  }
}

} // namespace
} // namespace tune
