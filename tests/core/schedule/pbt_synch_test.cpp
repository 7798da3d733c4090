// Rounds in which all trials wait for each other.
// SPDX-License-Identifier: BSD-3-Clause
#include "pbt_support.hpp"

#include <gmock/gmock.h>

namespace tune {
namespace {

using samples::pbt_rule;
using samples::reason;
using samples::verbs;
using support::digest;
using support::text_of;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

/// All trials wait for each other at 10, 20, …
class pbt_synch : public pbt_rule {
protected:
  pbt_synch() { settings.synch = true; }

  /// The trial reports, and pauses as told.
  void arrive(std::uint64_t trial, double time, double score) {
    ASSERT_EQ(verbs(tell->judged(trial, time, score)), "save+pause");
    pause(trial, static_cast<std::uint64_t>(time));
  }
};

TEST_F(pbt_synch, pauses_all_at_the_common_time) {
  make(2);

  EXPECT_EQ(verbs(result(0, 9, 1)), "go_on");
  auto verdict = result(0, 10, 1);
  EXPECT_EQ(verbs(verdict), "save+pause");
  EXPECT_EQ(reason(verdict, "why"), value{"waits for the others at 10"});
}

TEST_F(pbt_synch, begins_after_the_burn_in) {
  settings.burn_in_period = 25;
  make(2);

  EXPECT_EQ(verbs(result(0, 24, 1)), "go_on");
  EXPECT_EQ(verbs(result(0, 25, 1)), "save+pause");
}

TEST_F(pbt_synch, goes_on_where_a_time_is_infinite) {
  settings.require_attrs = false;
  make(2);
  EXPECT_EQ(verbs(tell->judged(0, std::numeric_limits<double>::infinity(), 1)), "go_on");
  arrive(0, 10, 2);
  arrive(1, 10, 1);

  stall();

  EXPECT_THAT(tell->choose(5), SizeIs(2));
  start(0);
  EXPECT_EQ(reason(result(0, 20, 2), "why"), value{"waits for the others at 20"});
}

TEST_F(pbt_synch, does_not_name_those_that_wait_at_the_barrier) {
  make(2);
  arrive(0, 10, 1);
  add(2, 2);

  EXPECT_THAT(tell->choose(5), ElementsAre(2));
}

TEST_F(pbt_synch, visits_all_once_all_are_there) {
  make(5);
  for (std::uint64_t i : {0, 1, 2, 3, 4})
    arrive(i, 10, static_cast<double>((i + 2) % 5));

  // With scores 2 3 4 0 1 the upper quantile is 1 2, the middle 0, and the lower 3 4.
  auto verdict = stall();

  ASSERT_EQ(verbs(verdict), "annotate+annotate+annotate+exploit+exploit");
  std::vector<std::uint64_t> order;
  for (const auto& x : verdict.actions)
    order.push_back(x.trial.number);
  EXPECT_THAT(order, ElementsAre(1, 2, 0, 3, 4));
  EXPECT_EQ(reason(verdict, "round"), value{10});
  EXPECT_EQ(std::get<exploit>(verdict.actions[3].what).donor, trial_id{1});
  EXPECT_EQ(std::get<exploit>(verdict.actions[3].what).from, checkpoint_id{2});
  // The next common time is 20.
  EXPECT_THAT(tell->choose(9), ElementsAre(0, 1, 2, 3, 4));
  for (std::uint64_t i : {0, 1, 2, 3, 4})
    tell->tell(fact::started{{i}});
  EXPECT_EQ(verbs(result(0, 19, 1)), "go_on");
  EXPECT_EQ(verbs(result(0, 20, 1)), "save+pause");
}

TEST_F(pbt_synch, hears_of_trials_that_took_over_before_or_after_the_decision) {
  for (auto before : {false, true}) {
    make(2);
    arrive(0, 10, 1);
    arrive(1, 10, 2);
    auto verdict = uut->on_stall(100);
    ASSERT_EQ(verbs(verdict), "annotate+exploit");
    if (before)
      add(0, 2, true);
    tell->tell(fact::decided{verdict, {}});
    if (!before)
      add(0, 2, true);

    EXPECT_THAT(tell->choose(9), ElementsAre(0, 1)) << before;
    tell->tell(fact::started{{0}});
    tell->tell(fact::started{{1}});
    EXPECT_EQ(verbs(result(0, 19, 1)), "go_on");
    EXPECT_EQ(verbs(result(0, 20, 1)), "save+pause");
  }
}

TEST_F(pbt_synch, moves_the_common_time_to_the_latest) {
  make(2);
  arrive(0, 10, 1);
  arrive(1, 35, 2);
  auto verdict = stall();
  ASSERT_EQ(verbs(verdict), "annotate+exploit");
  add(0, 2, true);

  // The next common time is max(20, 35) = 35, where both stand now; after it comes 45.
  EXPECT_THAT(tell->choose(9), ElementsAre(0, 1));
  tell->tell(fact::started{{0}});
  EXPECT_EQ(verbs(result(0, 44, 1)), "go_on");
  EXPECT_EQ(verbs(result(0, 45, 1)), "save+pause");
}

TEST_F(pbt_synch, lets_those_behind_the_latest_catch_up) {
  settings.quantile_fraction = 0;
  make(3);
  arrive(0, 10, 1);
  arrive(1, 25, 2);
  arrive(2, 12, 3);
  stall();

  // The next common time is max(20, 25) = 25; trial 1 is there already.
  EXPECT_THAT(tell->choose(9), ElementsAre(0, 2));
  tell->tell(fact::started{{0}});
  // All trials were looked at at time 12, when the last one arrived.
  EXPECT_EQ(verbs(result(0, 21, 1)), "go_on");
  EXPECT_EQ(verbs(result(0, 25, 1)), "save+pause");
}

TEST_F(pbt_synch, passes_on_what_a_member_took_over_and_has_not_trained_since) {
  settings.quantile_fraction = 0.5;
  donor = 1;
  make(4);
  arrive(0, 10, 1);
  arrive(1, 10, 5);
  arrive(3, 10, 6);
  arrive(2, 35, 9);
  const auto best = checkpoints;
  // Trials 0 and 1 take over the state of trial 2, so they are at the next common time, 35,
  // already.
  ASSERT_EQ(verbs(stall()), "annotate+annotate+exploit+exploit");
  add(0, 4, true);
  add(1, 4, true);
  ASSERT_THAT(tell->choose(9), ElementsAre(3));
  tell->tell(fact::started{{3}});
  arrive(3, 45, 0.5);
  donor = 0;

  auto verdict = stall();

  // By their old scores trials 1 and 2 form the upper quantile.
  ASSERT_EQ(verbs(verdict), "annotate+annotate+exploit+exploit");
  const auto& due_exploit = std::get<exploit>(verdict.actions[2].what);
  EXPECT_EQ(due_exploit.donor, trial_id{1});
  EXPECT_EQ(due_exploit.from, checkpoint_id{best});
}

TEST_F(pbt_synch, goes_on_without_members_that_end) {
  make(3);
  arrive(0, 10, 1);
  arrive(1, 10, 2);
  tell->end(2, fact::end_kind::errored);

  EXPECT_EQ(verbs(stall()), "annotate+exploit");
}

TEST_F(pbt_synch, lets_a_member_that_failed_come_to_the_barrier_again) {
  make(2);
  arrive(0, 10, 1);
  result(1, 10, 2);
  tell->tell(fact::failed{{1}});
  add(1, 1, true);

  EXPECT_THAT(tell->choose(9), ElementsAre(1));
}

TEST_F(pbt_synch, lets_one_that_was_lost_at_the_barrier_run_up_to_it_again) {
  make(3);
  arrive(0, 10, 1);
  arrive(1, 10, 2);
  // The trial had not saved yet.
  tell->judged(2, 10, 3);
  add(2, 2, true);
  ASSERT_THAT(tell->choose(9), ElementsAre(2));
  tell->tell(fact::started{{2}});
  EXPECT_THAT(tell->choose(9), IsEmpty());
  tell->tell(fact::saved{{2}, {77}, 10});
  tell->tell(fact::paused{{2}, {77}});
  EXPECT_THAT(tell->choose(9), IsEmpty());

  auto verdict = stall();

  ASSERT_EQ(verbs(verdict), "annotate+annotate+exploit");
  EXPECT_EQ(std::get<exploit>(verdict.actions.back().what).from, checkpoint_id{77});
}

TEST_F(pbt_synch, does_not_run_one_again_that_was_lost_when_it_had_saved) {
  make(2);
  arrive(0, 10, 1);
  arrive(1, 10, 2);
  add(1, 1, true);

  EXPECT_THAT(tell->choose(9), IsEmpty());
}

TEST_F(pbt_synch, does_not_wait_for_one_that_was_lost_at_the_barrier_and_ends) {
  make(3);
  arrive(0, 10, 1);
  arrive(1, 10, 2);
  tell->judged(2, 10, 3);
  add(2, 2, true);
  tell->end(2, fact::end_kind::errored);

  EXPECT_THAT(tell->choose(9), IsEmpty());
  EXPECT_EQ(verbs(stall()), "annotate+exploit");
}

TEST_F(pbt_synch, lets_late_members_catch_up_without_pausing) {
  make(2);
  arrive(0, 10, 1);
  arrive(1, 10, 2);
  stall();
  add(0, 2, true);
  add(5, 5);
  EXPECT_THAT(tell->choose(9), ElementsAre(5, 0, 1));
  for (std::uint64_t i : {0, 1, 5})
    tell->tell(fact::started{{i}});

  EXPECT_EQ(verbs(result(5, 10, 9)), "go_on");
  EXPECT_EQ(verbs(result(5, 11, 9)), "go_on");
  EXPECT_EQ(verbs(result(5, 20, 9)), "save+pause");
}

TEST_F(pbt_synch, pauses_again_where_a_pause_failed) {
  make(2);
  result(0, 10, 1);

  EXPECT_EQ(verbs(result(0, 11, 1)), "save+pause");
}

TEST_F(pbt_synch, goes_on_alone) {
  make(1);
  arrive(0, 10, 1);

  EXPECT_EQ(verbs(stall()), "annotate");
  EXPECT_THAT(tell->choose(1), ElementsAre(0));
}

TEST_F(pbt_synch, ends_what_is_left_where_a_round_started_nobody) {
  make(2);
  arrive(0, 10, 1);
  arrive(1, 10, 2);
  stall({1});
  EXPECT_THAT(tell->choose(9), ElementsAre(0, 1));
  tell->tell(fact::chosen{{0, {{0}, {1}}}, {{0}, {1}}});

  EXPECT_EQ(verbs(stall()), "stop+stop");
}

TEST_F(pbt_synch, goes_on_from_any_point_of_its_record) {
  make(4);
  for (std::uint64_t i : {0, 1, 2, 3})
    arrive(i, 10, static_cast<double>(i));
  auto first = stall();
  auto log = tell->log();
  for (std::size_t cut = 0; cut <= log.size(); ++cut) {
    make(0);
    for (std::size_t i = 0; i < cut; ++i)
      uut->apply(log[i]);
    auto before = digest(*uut);
    auto answer = text_of(uut->on_stall(100));
    EXPECT_EQ(digest(*uut), before);
    if (cut + 1 == log.size()) {
      EXPECT_EQ(answer, text_of(first));
    }
    for (std::size_t i = cut; i < log.size(); ++i)
      uut->apply(log[i]);
    EXPECT_THAT(uut->choose(1, 9).start,
                ElementsAre(trial_id{0}, trial_id{1}, trial_id{2}, trial_id{3}));
  }
}

} // namespace
} // namespace tune
