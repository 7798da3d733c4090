// SPDX-License-Identifier: BSD-3-Clause
#include "pbt_support.hpp"

#include <gmock/gmock.h>

#include <cmath>
#include <limits>

namespace tune {
namespace {

using samples::pbt_rule;
using samples::reason;
using samples::verbs;
using support::text_of;
using testing::ElementsAre;
using testing::IsEmpty;

const double nan = std::nan("");
constexpr auto infinity = std::numeric_limits<double>::infinity();

TEST_F(pbt_rule, says_nothing_before_the_interval_is_over) {
  make(4);

  EXPECT_EQ(text_of(result(0, 9.5, 1)), "go_on 0");
  EXPECT_EQ(text_of(result(0, 10, 1)), "annotate 0 rule=pbt quantile=none score=1; go_on 0");
  // The next decision is due 10 after the last.
  EXPECT_EQ(text_of(result(0, 19, 1)), "go_on 0");
  EXPECT_EQ(verbs(result(0, 20, 1)), "annotate+go_on");
}

TEST_F(pbt_rule, counts_the_interval_from_when_a_trial_was_looked_at) {
  make(4);
  result(0, 13, 1);

  EXPECT_EQ(verbs(result(0, 22, 1)), "go_on");
  EXPECT_EQ(verbs(result(0, 23, 1)), "annotate+go_on");
}

TEST_F(pbt_rule, ignores_results_of_the_burn_in) {
  settings.burn_in_period = 25;
  make(2);
  EXPECT_EQ(verbs(result(0, 24, 5)), "go_on");

  result(0, 25, 1);

  // If the first result counted, trial 1 would be the worse one.
  EXPECT_EQ(reason(result(1, 25, 3), "quantile"), value{"upper"});
}

TEST_F(pbt_rule, has_no_quantiles_for_a_single_score) {
  EXPECT_EQ(reason(last_of({5}), "quantile"), value{"none"});
}

TEST_F(pbt_rule, rounds_the_size_of_quantiles_up) {
  // The quantiles have ⌈5 · 0.25⌉ = 2 of 5 trials.
  EXPECT_EQ(reason(last_of({10, 20, 30, 40, 15}), "quantile"), value{"lower"});
  EXPECT_EQ(reason(last_of({10, 20, 30, 40, 25}), "quantile"), value{"middle"});
  EXPECT_EQ(reason(last_of({10, 20, 30, 40, 35}), "quantile"), value{"upper"});
}

TEST_F(pbt_rule, never_lets_quantiles_overlap) {
  settings.quantile_fraction = 0.5;
  // ⌈3 · 0.5⌉ = 2 is more than half of 3, so the quantiles have one trial each.
  EXPECT_EQ(reason(last_of({10, 30, 20}), "quantile"), value{"middle"});
  EXPECT_EQ(reason(last_of({10, 30, 5}), "quantile"), value{"lower"});
}

TEST_F(pbt_rule, has_empty_quantiles_where_the_fraction_is_none) {
  settings.quantile_fraction = 0;
  EXPECT_EQ(reason(last_of({10, 20, 30, 40}), "quantile"), value{"middle"});
}

TEST_F(pbt_rule, puts_the_one_added_first_lower_on_ties) {
  EXPECT_EQ(reason(last_of({7, 7, 7, 7}), "quantile"), value{"upper"});
}

TEST_F(pbt_rule, leaves_out_scores_that_are_no_number) {
  make(4);
  result(0, 10, nan);
  result(1, 10, infinity);
  result(2, 10, -infinity);

  auto verdict = result(3, 10, 0);

  EXPECT_EQ(text_of(verdict), "annotate 3 rule=pbt quantile=middle rank=2 of=3 score=0; go_on 3");
}

TEST_F(pbt_rule, forgets_the_score_of_one_whose_score_becomes_nan) {
  make(3);
  result(0, 10, 1);
  result(1, 10, 2);

  EXPECT_EQ(reason(result(1, 20, nan), "quantile"), value{"none"});
  EXPECT_EQ(reason(result(2, 10, 3), "of"), value{2});
}

TEST_F(pbt_rule, has_the_best_save_and_go_on) {
  EXPECT_EQ(text_of(last_of({10, 20, 30, 40})),
            "save 3 rule=pbt quantile=upper rank=1 of=4 score=40; go_on 3");
}

TEST_F(pbt_rule, does_not_ask_for_a_checkpoint_that_is_there) {
  make(2);
  result(0, 10, 1);
  auto cause = tell->result(1, 10, 2);
  save(1, 10);

  EXPECT_EQ(verbs(uut->judge(cause, {1})), "annotate+go_on");
}

TEST_F(pbt_rule, gives_the_worst_the_state_of_a_good_one) {
  make(4);
  for (std::uint64_t i : {1, 2, 3})
    result(i, 10, 10.0 * static_cast<double>(i));

  auto verdict = result(0, 10, 5);

  ASSERT_EQ(verbs(verdict), "exploit");
  const auto& due_exploit = std::get<exploit>(verdict.actions.front().what);
  EXPECT_EQ(due_exploit.donor, trial_id{3});
  EXPECT_EQ(due_exploit.from, checkpoint_id{checkpoints});
  EXPECT_EQ(*due_exploit.config, (object{{"x", 6.0}}));
}

TEST_F(pbt_rule, explains_an_exploit) {
  make(4, false);
  // A loss arrives negated.
  for (std::uint64_t i : {1, 2, 3})
    result(i, 10, -0.1 / static_cast<double>(i));

  auto verdict = result(0, 10, -0.7);

  EXPECT_EQ(
      text_of(verdict),
      "exploit 0 rule=pbt quantile=lower rank=4 of=4 score=0.7 donor=00003 donor_rank=1 "
      "donor_score=0.03333333333333333 donor_iteration=10 "
      "changes=[{parameter: x, from: 3, to: 6, how: doubled}] donor_config={x: 3} config={x: 6} "
      "why=goes on as trial 00003 did at iteration 10, with x 3 → 6 (doubled)");
}

TEST_F(pbt_rule, draws_the_donor_from_the_upper_quantile_by_its_dice) {
  settings.quantile_fraction = 0.5;
  donor = 1;
  make(4);
  for (std::uint64_t i : {1, 2, 3})
    result(i, 10, 10.0 * static_cast<double>(i));
  result(2, 20, 20);

  // The upper quantile holds trials 2 and 3, the worse one first.
  EXPECT_EQ(reason(result(0, 10, 5), "donor"), value{"00003"});
}

TEST_F(pbt_rule, goes_on_where_its_donor_has_no_checkpoint) {
  make(2);
  // While trial 1 was alone, it was in no quantile.
  result(1, 10, 10);

  auto verdict = result(0, 10, 5);

  EXPECT_EQ(verbs(verdict), "annotate+go_on");
  EXPECT_EQ(reason(verdict, "why"), value{"no checkpoint of its donor, trial 00001, is there yet"});
}

TEST_F(pbt_rule, takes_over_what_was_saved_before_its_donor_was_found_good) {
  make(2);
  result(1, 10, 10);
  auto saved = save(1, 10);

  auto verdict = result(0, 10, 5);

  ASSERT_EQ(verbs(verdict), "exploit");
  EXPECT_EQ(std::get<exploit>(verdict.actions.front().what).from, checkpoint_id{saved});
}

TEST_F(pbt_rule, took_over_only_what_was_saved_since_its_donor_was_found_good) {
  settings.judges_as_before = true;
  make(2);
  result(1, 10, 10);
  save(1, 10);
  EXPECT_EQ(verbs(result(0, 10, 5)), "annotate+go_on");

  // The save has been asked for, but is not there yet.
  tell->judged(1, 20, 10);
  EXPECT_EQ(verbs(result(0, 20, 5)), "annotate+go_on");
  save(1, 20);
  EXPECT_EQ(verbs(result(0, 30, 5)), "exploit");
}

/// Trial 1 was found good twice: its checkpoint of time 10 is there, that of time 20 on its way.
class pbt_saving_donor : public pbt_rule {
protected:
  void SetUp() override {
    make(2);
    result(0, 10, 1);
    result(1, 10, 10);
    tell->judged(1, 20, 20);
  }
};

TEST_F(pbt_saving_donor, is_waited_for_from_report_to_report) {
  auto verdict = result(0, 20, 5);
  EXPECT_EQ(verbs(verdict), "annotate+go_on");
  EXPECT_EQ(reason(verdict, "why"),
            value{"the checkpoint of its donor, trial 00001, is on its way"});
  // The reason is given once.
  EXPECT_EQ(verbs(result(0, 21, 6)), "go_on");
  save(1, 20);

  verdict = result(0, 22, 6);

  ASSERT_EQ(verbs(verdict), "exploit");
  EXPECT_EQ(reason(verdict, "donor_iteration"), value{20});
}

TEST_F(pbt_saving_donor, gives_its_checkpoint_before_where_the_next_takes_half_an_interval) {
  result(0, 20, 5);
  EXPECT_EQ(verbs(result(0, 24, 6)), "go_on");

  auto verdict = result(0, 25, 6);

  ASSERT_EQ(verbs(verdict), "exploit");
  EXPECT_EQ(reason(verdict, "donor_iteration"), value{10});
}

TEST_F(pbt_saving_donor, keeps_nobody_waiting_for_ever) {
  make(2);
  result(0, 10, 1);
  tell->judged(1, 10, 10);
  EXPECT_THAT(to_text(reason(result(0, 20, 5), "why")), testing::HasSubstr("is on its way"));

  EXPECT_THAT(to_text(reason(result(0, 25, 5), "why")), testing::HasSubstr("is there yet"));
  EXPECT_EQ(verbs(result(0, 26, 5)), "go_on");
  EXPECT_EQ(verbs(result(0, 30, 5)), "annotate+go_on");
}

TEST_F(pbt_saving_donor, is_not_waited_for_by_one_that_is_good_by_now) {
  result(0, 20, 5);

  EXPECT_EQ(verbs(result(0, 21, 30)), "save+go_on");
  EXPECT_EQ(verbs(result(0, 22, 1)), "go_on");
}

TEST_F(pbt_saving_donor, shifts_nobodys_interval) {
  result(0, 20, 5);
  // The trial is good by now.
  EXPECT_EQ(verbs(result(0, 21, 30)), "save+go_on");

  EXPECT_EQ(verbs(result(0, 29, 31)), "go_on");
  EXPECT_EQ(verbs(result(0, 30, 32)), "save+go_on");
}

TEST_F(pbt_saving_donor, is_a_donor_by_what_is_older_than_its_good_days) {
  // Trial 1 is no longer good at 30 and good again at 40, with nothing saved since.
  result(0, 20, 50);
  tell->judged(1, 30, 30);
  tell->judged(0, 30, 20);
  tell->judged(1, 40, 60);
  tell->judged(0, 40, 20);

  auto verdict = tell->judged(0, 45, 20);
  ASSERT_EQ(verbs(verdict), "exploit");
  EXPECT_EQ(reason(verdict, "donor_iteration"), value{20});
}

TEST_F(pbt_rule, takes_over_the_newest_checkpoint_for_that_one_is_never_removed) {
  make(2);
  result(0, 10, 1);
  result(1, 10, 10);
  auto newest = save(1, 13);

  auto verdict = result(0, 20, 5);

  ASSERT_EQ(verbs(verdict), "exploit");
  EXPECT_EQ(std::get<exploit>(verdict.actions.front().what).from, checkpoint_id{newest});
  EXPECT_EQ(reason(verdict, "donor_iteration"), value{13});
}

/// Two trials, the better of which brings its checkpoints with its reports.
class pbt_by_reports : public pbt_rule {
protected:
  std::uint64_t brought = 0;

  /// Trial 1 is found good at 10, and cannot be asked for more than the checkpoint it brought at 7.
  decision look() {
    make(2);
    result(0, 10, 1);
    brought = save(1, 7);
    return uut->judge(tell->result(1, 10, 10), {1});
  }
};

TEST_F(pbt_by_reports, takes_over_any_checkpoint_of_one_that_cannot_be_asked) {
  auto verdict = look();
  ASSERT_EQ(verbs(verdict), "save+go_on");
  tell->tell(fact::decided{verdict, {0}});

  auto taken = result(0, 20, 5);

  ASSERT_EQ(verbs(taken), "exploit");
  EXPECT_EQ(std::get<exploit>(taken.actions.front().what).from, checkpoint_id{brought});
  EXPECT_EQ(reason(taken, "donor_iteration"), value{7});
}

TEST_F(pbt_by_reports, takes_over_nothing_of_one_that_brought_none) {
  make(2);
  result(0, 10, 1);
  tell->tell(fact::decided{uut->judge(tell->result(1, 10, 10), {1}), {0}});

  EXPECT_EQ(reason(result(0, 20, 5), "why"),
            value{"no checkpoint of its donor, trial 00001, is there yet"});
}

TEST_F(pbt_by_reports, takes_a_save_that_came_too_late_for_what_it_is) {
  auto verdict = look();
  add(1, 1, true);
  tell->tell(fact::decided{verdict, {0}});
  start(1);

  EXPECT_EQ(verbs(result(0, 20, 5)), "annotate+go_on");
}

TEST_F(pbt_rule, takes_over_what_was_saved_in_earlier_good_days) {
  make(3);
  result(0, 10, 1);
  result(1, 10, 10);
  result(1, 20, 5);
  result(2, 10, 7);
  ASSERT_EQ(reason(result(1, 30, 6), "quantile"), value{"middle"});
  // Compared with the others trial 1 is good again, but it has not been looked at since.
  result(2, 20, 5.5);

  EXPECT_EQ(verbs(result(0, 20, 1)), "exploit");
}

TEST_F(pbt_rule, takes_over_the_times_of_its_donor) {
  make(2);
  result(0, 14, 1);
  result(1, 10, 10);
  ASSERT_EQ(verbs(result(0, 24, 5)), "exploit");
  add(0, 6, true);
  start(0);

  // The donor was looked at at time 10.
  EXPECT_EQ(verbs(result(0, 19, 5)), "go_on");
  EXPECT_EQ(verbs(result(0, 20, 5)), "exploit");
}

TEST_F(pbt_rule, keeps_the_score_of_one_that_took_over_until_it_reports) {
  make(4);
  for (std::uint64_t i : {1, 2, 3})
    result(i, 10, 10.0 * static_cast<double>(i));
  result(0, 10, 5);
  add(0, 6, true);

  EXPECT_EQ(reason(result(1, 20, 10), "rank"), value{3});
}

TEST_F(pbt_rule, does_not_offer_what_a_trial_saved_before_it_took_over) {
  make(2);
  result(0, 10, 1);
  result(1, 10, 10);
  auto verdict = tell->judged(0, 20, 5);
  ASSERT_EQ(verbs(verdict), "exploit");
  // The trial's last save arrives while its attempt is ending.
  save(0, 50);
  add(0, 2, true);
  start(0);
  auto cause = tell->result(0, 20, 20);

  EXPECT_EQ(verbs(uut->judge(cause, {0})), "save+go_on");
}

TEST_F(pbt_rule, looks_again_at_once_where_an_exploit_came_too_late) {
  make(2);
  result(0, 10, 1);
  result(1, 10, 10);
  auto cause = tell->result(0, 20, 1);
  auto verdict = uut->judge(cause, {0});
  ASSERT_EQ(verbs(verdict), "exploit");
  tell->tell(fact::decided{verdict, {0}});

  // A checkpoint that was gone is not tried again.
  EXPECT_EQ(verbs(result(0, 21, 1)), "annotate+go_on");
  save(1, 15);
  EXPECT_EQ(verbs(result(0, 31, 1)), "exploit");
}

TEST_F(pbt_rule, does_not_count_those_that_ended) {
  make(3);
  result(1, 10, 10);
  result(2, 10, 20);
  tell->complete(2, 12, 30);

  EXPECT_EQ(reason(result(0, 10, 5), "of"), value{2});
}

TEST_F(pbt_rule, lets_one_that_failed_begin_anew) {
  make(3);
  result(1, 10, 10);
  result(2, 10, 20);
  tell->tell(fact::failed{{2}});
  EXPECT_EQ(reason(result(0, 10, 5), "of"), value{2});
  add(2, 2, true);
  start(2);

  // Nothing of its former state remains, not even the time of its last perturbation.
  EXPECT_EQ(verbs(result(2, 11, 20)), "save+go_on");
}

TEST_F(pbt_rule, keeps_all_it_knows_of_one_that_lost_its_node) {
  make(3);
  result(1, 10, 10);
  result(2, 10, 20);
  add(2, 2, true);
  start(2);

  EXPECT_EQ(reason(result(0, 10, 5), "of"), value{3});
  EXPECT_EQ(verbs(result(2, 11, 20)), "go_on");
}

TEST_F(pbt_rule, looks_again_where_a_verdict_was_lost_with_the_node) {
  make(2);
  result(1, 10, 10);
  tell->result(0, 10, 5);
  add(0, 0, true);
  start(0);

  EXPECT_EQ(verbs(result(0, 11, 5)), "annotate+go_on");
  EXPECT_EQ(verbs(result(0, 12, 5)), "go_on");
}

TEST_F(pbt_rule, pauses_where_others_wait) {
  make(2);
  add(2, 2);

  EXPECT_EQ(text_of(result(0, 10, 1)),
            "pause 0 rule=pbt quantile=none score=1 why=others wait for resources");
  pause(0, 10);
  EXPECT_EQ(verbs(result(1, 10, 2)), "save+pause");
}

TEST_F(pbt_rule, pauses_for_one_that_was_chosen_until_it_runs) {
  make(2);
  add(2, 2);
  tell->tell(fact::chosen{{0, {{2}}}, {}});
  EXPECT_EQ(verbs(result(0, 10, 1)), "pause");

  tell->tell(fact::started{{2}});
  EXPECT_EQ(verbs(result(1, 10, 2)), "save+go_on");
}

TEST_F(pbt_rule, does_not_pause_for_one_that_cannot_be_started) {
  make(2);
  pause(0, 5);
  tell->tell(fact::chosen{{0, {{0}}}, {{0}}});

  EXPECT_EQ(verbs(result(1, 10, 2)), "annotate+go_on");
  EXPECT_THAT(tell->choose(3), IsEmpty());
}

TEST_F(pbt_rule, runs_those_next_that_trained_least) {
  make(3);
  result(0, 30, 1);
  result(1, 10, 2);
  result(2, 20, 3);
  for (std::uint64_t i : {0, 1, 2})
    pause(i, 30);
  add(3, 3);
  add(4, 4);

  EXPECT_THAT(tell->choose(2), ElementsAre(3, 4));
  EXPECT_THAT(tell->choose(9), ElementsAre(1, 2, 0));
}

TEST_F(pbt_rule, runs_one_that_took_over_after_the_others_of_its_time) {
  make(3);
  result(0, 10, 1);
  result(1, 10, 10);
  tell->tell(fact::paused{{1}, {checkpoints}});
  result(2, 10, 5);
  pause(2, 10);
  ASSERT_EQ(verbs(result(0, 20, 1)), "exploit");
  add(0, 0, true);

  EXPECT_THAT(tell->choose(3), ElementsAre(1, 2, 0));
}

TEST_F(pbt_rule, runs_one_that_failed_after_the_others_of_its_time) {
  make(0);
  for (std::uint64_t i : {0, 1, 2})
    add(i, 0);
  tell->choose(1);
  tell->tell(fact::started{{0}});
  tell->tell(fact::failed{{0}});
  add(0, 0, true);

  EXPECT_THAT(tell->choose(3), ElementsAre(1, 2, 0));
}

TEST_F(pbt_rule, stops_trials_without_a_finite_time_where_it_is_required) {
  for (auto time : {nan, infinity, -infinity}) {
    SCOPED_TRACE(time);
    make(2);
    auto verdict = tell->judged(0, time, 1);

    EXPECT_EQ(text_of(verdict), "stop 0 rule=pbt why=a report lacks a finite training_iteration, "
                                "which require_attrs asks for");
  }
}

TEST_F(pbt_rule, lets_trials_without_a_finite_time_go_on_where_it_is_not_required) {
  settings.require_attrs = false;
  for (auto time : {nan, infinity, -infinity}) {
    SCOPED_TRACE(time);
    make(2);

    EXPECT_EQ(verbs(tell->judged(0, time, 1)), "go_on");
  }
}

TEST_F(pbt_rule, lets_trials_without_metric_go_on) {
  make(2);
  auto cause = tell->tell(fact::result{{0}, 1, 10, {}, 10, nullptr});

  EXPECT_EQ(verbs(uut->judge(cause, {0})), "go_on");
}

TEST_F(pbt_rule, looks_at_a_trial_again_after_an_infinite_time) {
  settings.require_attrs = false;
  make(4);
  for (std::uint64_t i : {1, 2, 3})
    result(i, 10, static_cast<double>(i));
  tell->judged(0, infinity, 0);

  EXPECT_EQ(verbs(result(0, 10, 0)), "exploit");
}

TEST_F(pbt_rule, ends_what_is_left_and_cannot_run) {
  make(1);
  pause(0, 5);

  EXPECT_EQ(text_of(stall()), "stop 0 rule=pbt why=not promoted");
}

TEST_F(pbt_rule, says_how_it_stands_and_before_its_first_look_when_that_is) {
  make(4);
  result(0, 9, 1);

  EXPECT_EQ(uut->outline(), "pbt: population of 4, none with a score yet: each is looked at after "
                            "10 of training_iteration");

  for (std::uint64_t i : {0, 1, 2, 3})
    result(i, 10, static_cast<double>(i));

  EXPECT_EQ(uut->outline(), "pbt: population of 4, scores from 0 to 3; upper quantile of 1 from 3");
}

TEST_F(pbt_rule, draws_the_same_for_the_same_seed_occasion_and_trial) {
  pbt::seeded_dice one{7, "pbt", {1, 12}, {3}};
  pbt::seeded_dice same{7, "pbt", {1, 12}, {3}};
  pbt::seeded_dice others[]
      = {{7, "pbt", {1, 12}, {4}}, {7, "pbt", {1, 13}, {3}}, {7, "pbt", {2, 12}, {3}},
         {7, "pbt", {0, 12}, {3}}, {8, "pbt", {1, 12}, {3}}, {7, "pb2", {1, 12}, {3}}};

  auto first = one.unit();

  EXPECT_EQ(same.unit(), first);
  for (auto& x : others)
    EXPECT_NE(x.unit(), first);
}

} // namespace
} // namespace tune
