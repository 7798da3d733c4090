// What a report says is to be tried next.
// SPDX-License-Identifier: BSD-3-Clause
#include "report/findings.hpp"

#include "made_up_study.hpp"
#include "report/lead.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

namespace tune::cli {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

TEST(findings, say_nothing_of_an_experiment_with_nothing_to_mend) {
  auto what = made_up_study();

  EXPECT_THAT(nothing_measured(what), IsEmpty());
  EXPECT_THAT(constraint_missed(what), IsEmpty());
  EXPECT_THAT(edges_of_ranges(what), IsEmpty());
  EXPECT_THAT(idle_parameters(what), IsEmpty());
  EXPECT_THAT(failing_regions(what), IsEmpty());
  EXPECT_THAT(winner_was_learning(what), IsEmpty());
  EXPECT_THAT(few_for_dimensions(what), IsEmpty());
  EXPECT_THAT(stopped_ahead(what), IsEmpty());
}

TEST(findings, say_nothing_of_an_empty_experiment) {
  EXPECT_THAT(all_findings(study{}), IsEmpty());
}

TEST(findings, say_that_no_trial_has_a_value) {
  auto what = made_up_study();
  what.winner.place.reset();
  for (auto& x : what.trials)
    x.how.score = std::numeric_limits<double>::quiet_NaN();

  auto found = nothing_measured(what);

  ASSERT_THAT(found, SizeIs(1));
  EXPECT_THAT(found[0].text, HasSubstr("40 of 40 trials reported something"));
}

TEST(findings, name_a_parameter_whose_best_is_at_the_end_of_its_range) {
  auto what = made_up_study();
  // The best tenth, which is at least four.
  for (std::size_t i : {19U, 20U, 21U, 18U})
    what.trials[i].at[0] = 0.9;

  auto found = edges_of_ranges(what);

  ASSERT_THAT(found, SizeIs(1));
  EXPECT_EQ(found[0].title, "The best lr is at the upper end of its range");
  EXPECT_EQ(found[0].text, "The winner has 0.9 between 0.0001 and 1, and 4 of 4 of the best trials "
                           "lie in the upper tenth of the log scale. Better values may lie beyond: "
                           "widen it.");
}

TEST(findings, do_not_take_one_lucky_trial_at_an_end_for_a_trend) {
  auto what = made_up_study();
  what.trials[20].at[0] = 0.9;

  EXPECT_THAT(edges_of_ranges(what), IsEmpty());
}

TEST(findings, do_not_speak_of_ends_of_few_whole_numbers) {
  auto what = made_up_study();
  what.parameters[0] = {"layers", "randint(1, 3)"};
  what.parameters[0].whole = true;
  what.parameters[0].low = 1;
  what.parameters[0].high = 2;
  for (auto& x : what.trials)
    x.at[0] = 2;

  EXPECT_THAT(edges_of_ranges(what), IsEmpty());
}

TEST(findings, name_parameters_that_made_no_difference) {
  auto what = made_up_study();
  what.parameters[0].importance = study_importance{0.97, true};
  what.parameters[1].importance = study_importance{0.03, false};

  auto found = idle_parameters(what);

  ASSERT_THAT(found, SizeIs(1));
  EXPECT_EQ(found[0].title, "1 parameter makes no difference that shows");
  EXPECT_THAT(found[0].text, HasSubstr("act (3 %)"));
}

TEST(findings, tell_an_importance_as_the_rest_of_the_report_does) {
  auto what = made_up_study();
  what.parameters[0].importance = study_importance{0.999, true};
  what.parameters[1].importance = study_importance{0.0013, false};

  ASSERT_THAT(idle_parameters(what), SizeIs(1));
  EXPECT_THAT(idle_parameters(what)[0].text, HasSubstr("act (0.1 %): no more than chance"));

  what.parameters[1].importance->share = 0.0494;
  ASSERT_THAT(idle_parameters(what), SizeIs(1));
  EXPECT_THAT(idle_parameters(what)[0].text, HasSubstr("act (4.9 %): no more than chance"));
  // It would be told as 5 %, which is not less than 5 %.
  what.parameters[1].importance->share = 0.0496;
  EXPECT_THAT(idle_parameters(what), IsEmpty());
}

TEST(findings, advise_to_fix_no_parameter_that_the_winner_lacks) {
  auto what = made_up_study();
  what.parameters[0].importance = study_importance{0.04, false};
  what.parameters[1].importance = study_importance{0.03, false};
  what.winner.lacks = {"act"};

  auto found = idle_parameters(what);

  ASSERT_THAT(found, SizeIs(1));
  EXPECT_EQ(found[0].title, "1 parameter makes no difference that shows");
  EXPECT_EQ(found[0].text, "lr (4 %): no more than chance, and less than 5 % of the importance. "
                           "Fixing it at its value in the winner leaves more trials for what "
                           "matters.");
  what.winner.lacks = {"act", "lr"};
  EXPECT_THAT(idle_parameters(what), IsEmpty());
}

TEST(findings, name_the_choice_with_which_trials_fail) {
  auto what = made_up_study();
  for (std::size_t i = 1; i < 20; i += 2)
    what.trials[i].fate = trial_fate::failed;
  what.trials[0].fate = trial_fate::failed;

  auto found = failing_regions(what);

  ASSERT_THAT(found, SizeIs(1));
  EXPECT_EQ(found[0].title, "Trials fail where act = tanh");
  EXPECT_THAT(found[0].text,
              HasSubstr("10 of 11 failures lie there: 50 % of the trials in this part failed, "
                        "5 % of all others"));
}

TEST(findings, name_the_third_of_a_range_in_which_trials_fail) {
  auto what = made_up_study();
  for (std::size_t i = 0; i < 10; ++i) {
    what.trials[i].fate = trial_fate::failed;
    what.trials[i].at[0] = 0.5;
  }

  auto found = failing_regions(what);

  ASSERT_THAT(found, SizeIs(1));
  EXPECT_EQ(found[0].title, "Trials fail where lr from 0.046416 to 1");
}

TEST(findings, name_whole_numbers_that_belong_to_the_third) {
  auto what = made_up_study();
  auto& z = what.parameters[0];
  z.name = "z";
  z.log = false;
  z.whole = true;
  z.low = 0;
  z.high = 11;
  // The upper third begins at 7.33: 7 is not in it.
  for (std::size_t i = 0; i < what.trials.size(); ++i) {
    what.trials[i].at[0] = static_cast<double>(i % 12);
    what.trials[i].fate = i % 12 >= 8 ? trial_fate::failed : trial_fate::finished;
  }

  auto found = failing_regions(what);

  ASSERT_FALSE(found.empty());
  EXPECT_EQ(found[0].title, "Trials fail where z from 8 to 11");
  EXPECT_THAT(found[0].text, HasSubstr("100 % of the trials in this part failed, 0 % of all"));
}

TEST(findings, do_not_blame_a_region_for_failures_everywhere) {
  auto what = made_up_study();
  for (std::size_t i = 0; i < 20; ++i)
    what.trials[i].fate = trial_fate::failed;

  EXPECT_THAT(failing_regions(what), IsEmpty());
}

TEST(findings, tell_a_search_that_rose_from_one_that_stood) {
  auto what = made_up_study();
  EXPECT_THAT(rising_or_standing(what), IsEmpty());

  what.trials[39].how.score = 0;
  auto rising = rising_or_standing(what);
  what.trials[1].how.score = 1;
  auto standing = rising_or_standing(what);

  ASSERT_THAT(rising, SizeIs(1));
  EXPECT_EQ(rising[0].rule, "still_rising");
  ASSERT_THAT(standing, SizeIs(1));
  EXPECT_EQ(standing[0].rule, "plateau");
  EXPECT_THAT(standing[0].text, HasSubstr("number 2 of 40 trials with a value; the 38 after it"));
}

TEST(findings, go_by_what_the_runs_of_a_configuration_come_to) {
  // Each of 40 configurations ran twice; the first is the best, others had a lucky run.
  const auto once = made_up_study();
  auto what = once;
  what.trials.clear();
  for (std::uint64_t i = 0; i < 80; ++i) {
    auto trial = once.trials[i / 2];
    trial.trial = trial_id{i};
    trial.at[0] = 0.001 * static_cast<double>(1 + i / 2);
    trial.how.score = i < 2 ? 0 : i % 2 == 0 ? -10 : i == 79 ? 9 : -20;
    what.trials.push_back(trial);
  }
  what.winner.place = 0;
  what.runs.resize(1);

  const auto found = rising_or_standing(what);
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_EQ(found[0].rule, "plateau");
  EXPECT_THAT(found[0].text, HasSubstr("number 1 of 40 configurations with a value; the 39 after"));
}

TEST(findings, notice_a_winner_that_was_still_learning) {
  auto what = made_up_study();
  for (std::uint64_t i = 1; i <= 20; ++i)
    what.winner.curve.emplace_back(i, -10 + static_cast<double>(i < 19 ? 1 : i / 4));

  auto found = winner_was_learning(what);

  ASSERT_THAT(found, SizeIs(1));
  EXPECT_THAT(found[0].text, HasSubstr("loss from 9 to 5, 100 % of all that it gained"));
  EXPECT_THAT(found[0].text, HasSubstr("longer than 20 iterations"));
}

TEST(findings, do_not_say_so_of_a_winner_that_had_settled) {
  auto what = made_up_study();
  for (std::uint64_t i = 1; i <= 20; ++i)
    what.winner.curve.emplace_back(i, -10 / static_cast<double>(i));

  EXPECT_THAT(winner_was_learning(what), IsEmpty());
}

TEST(findings, count_trials_against_parameters) {
  auto what = made_up_study();
  what.trials.resize(15);
  what.winner.place = 14;

  auto found = few_for_dimensions(what);

  ASSERT_THAT(found, SizeIs(1));
  EXPECT_THAT(found[0].text, HasSubstr("15 trials with a value for 2 parameters are 7.5 each"));
  EXPECT_THAT(found[0].text, HasSubstr("Try 20 or more"));
}

TEST(findings, want_no_more_trials_of_a_grid_that_was_run) {
  auto what = made_up_study();
  what.trials.resize(15);
  what.is_grid = true;

  EXPECT_THAT(few_for_dimensions(what), IsEmpty());
}

TEST(findings, name_trials_that_were_stopped_ahead_of_the_winner) {
  auto what = made_up_study();
  for (std::uint64_t i = 1; i <= 10; ++i)
    what.winner.curve.emplace_back(i, -11 + static_cast<double>(i));
  for (std::size_t i : {3U, 4U}) {
    what.trials[i].fate = trial_fate::stopped;
    what.trials[i].iterations = 2;
  }
  what.trials[3].how.score = -5;
  what.trials[4].how.score = -9.5;

  auto found = stopped_ahead(what);

  ASSERT_THAT(found, SizeIs(1));
  EXPECT_EQ(found[0].title, "1 trial may have been stopped too early");
  EXPECT_THAT(found[0].text,
              HasSubstr("trial 00003 had come to 5 at iteration 2, the winner to 9"));

  // It had been better before, and was worse when it was stopped.
  what.trials[3].ends_best = false;
  EXPECT_THAT(stopped_ahead(what), IsEmpty());
}

TEST(findings, take_the_spread_of_the_best_for_lack_of_anything_better) {
  auto what = made_up_study();

  auto lead = lead_of(what);

  ASSERT_TRUE(lead);
  EXPECT_FALSE(lead->is_measured);
  EXPECT_NEAR(lead->by, 0.1, 1e-9);
  // Of 1.1, 1.1, 1.2, 1.2.
  EXPECT_NEAR(lead->noise, 0.057735, 1e-5);
  EXPECT_TRUE(lead->is_clear);
  EXPECT_THAT(lead_within_noise(what), IsEmpty());
}

TEST(findings, know_that_infinite_values_can_be_alike_and_have_no_spread) {
  auto what = made_up_study();
  auto of_rank = [&](std::size_t rank) -> double& {
    return what.trials[ranked_trials(what)[rank]].how.score;
  };
  constexpr auto infinity = std::numeric_limits<double>::infinity();
  of_rank(0) = infinity;
  ASSERT_TRUE(lead_of(what));
  EXPECT_EQ(lead_of(what)->by, infinity);
  EXPECT_TRUE(lead_of(what)->is_clear);

  of_rank(1) = infinity;
  ASSERT_TRUE(lead_of(what));
  EXPECT_EQ(lead_of(what)->by, 0);
  EXPECT_EQ(lead_of(what)->noise, 0);
  ASSERT_THAT(lead_within_noise(what), SizeIs(1));
  EXPECT_THAT(lead_within_noise(what)[0].text, HasSubstr("the second is exactly as good"));
}

TEST(findings, compare_a_lead_with_the_errors_of_runs) {
  auto what = made_up_study();
  run_statistics first, second;
  first.mean = 1.0;
  first.error = 0.03;
  second.mean = 1.05;
  second.error = 0.04;
  what.runs = {first, second};

  auto found = lead_within_noise(what);
  what.runs[1].mean = 1.2;
  auto clear = lead_within_noise(what);

  ASSERT_THAT(found, SizeIs(1));
  EXPECT_THAT(found[0].text, HasSubstr("leads by 0.05, with a standard error of 0.05"));
  EXPECT_THAT(clear, IsEmpty());
}

TEST(findings, say_that_no_trial_keeps_the_constraints) {
  auto what = made_up_study();
  what.constraints = "latency <= 20, acc >= 0.5";
  what.trials[20].how.violation = 3;
  what.winner.misses = "latency <= 20 by 3";

  auto found = constraint_missed(what);

  ASSERT_THAT(found, SizeIs(1));
  EXPECT_EQ(found[0].title, "No trial keeps all constraints");
  EXPECT_EQ(found[0].text, "The best one misses the least: latency <= 20 by 3. Loosen what it "
                           "misses, or search where that can be kept.");
}

TEST(findings, leave_runs_that_confirm_out_of_the_search) {
  auto what = made_up_study();
  for (std::size_t i = 20; i < 40; ++i)
    what.trials[i].confirms = true;

  EXPECT_EQ(ranked_trials(what).size(), 20u);
}

} // namespace
} // namespace tune::cli
