// The limit of unfinished configurations, and when the searcher is asked for the next.
// SPDX-License-Identifier: BSD-3-Clause
#include "support/run_by_hand.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>

namespace tune {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

constexpr trial_id one{1};
constexpr trial_id two{2};

struct pending : support::run_by_hand, testing::Test {
  std::map<trial_id, attempt_id> attempts;

  void begin(std::uint64_t most, bool in_batches = false) {
    settings.max_pending = most;
    settings.in_batches = in_batches;
    make();
    post(on::opened{1, "test", "{}", 1, opening::at_once, on::present_draws});
  }
  /// Places the trial, which begins to train.
  void go(trial_id id) {
    run(id);
    attempts[id] = attempt;
  }
  void finish(trial_id id) {
    attempt = attempts.at(id);
    reports = 0;
    iteration = 0;
    report(id, 0.5, true);
    end(end_class::finished, id);
  }
  [[nodiscard]] std::size_t asks() const { return ports.all<cmd::ask_searcher>().size(); }
  [[nodiscard]] std::uint32_t wanted() const { return ports.last<cmd::ask_searcher>().what.count; }
  [[nodiscard]] std::string waits_for() const { return uut->machine().view().waits_for; }
};

TEST_F(pending, A6_6_the_searcher_is_asked_for_no_more_than_the_bound) {
  begin(2);
  suggest(1);
  go(zero);
  ASSERT_EQ(asks(), 2u);
  EXPECT_THAT(waits_for(), IsEmpty());
  suggest(1);
  go(one);

  EXPECT_EQ(asks(), 2u);
  EXPECT_EQ(waits_for(), "[search] max_pending = 2: the next is asked for when one of these has "
                         "ended: 00000, 00001");
  finish(zero);

  EXPECT_EQ(asks(), 3u);
  EXPECT_THAT(waits_for(), IsEmpty());
}

TEST_F(pending, without_a_bound_the_next_is_asked_for_as_soon_as_one_has_its_place) {
  begin(0);
  for (trial_id id{0}; id.number < 5; ++id.number) {
    suggest(1);
    go(id);
  }

  EXPECT_EQ(asks(), 6u);
}

TEST_F(pending, one_that_is_paused_has_not_ended) {
  begin(1);
  suggest(1);
  go(zero);
  report();
  decide(pause_trial{});
  save();
  end(end_class::stopped);

  ASSERT_EQ(status(), trial_status::paused);
  EXPECT_EQ(asks(), 1u);
}

TEST_F(pending, what_clients_add_does_not_count) {
  begin(1);
  suggest(1);
  order(on::add_asked{"", std::make_shared<object>(object{{"x", 7}})});
  go(zero);
  finish(zero);

  ASSERT_EQ(status(one), trial_status::pending);
  go(one);
  EXPECT_EQ(asks(), 2u);
  suggest(1);
  go(two);
  EXPECT_EQ(asks(), 2u);
  EXPECT_THAT(waits_for(), HasSubstr("ended: 00002"));
}

TEST_F(pending, one_that_failed_for_good_has_ended) {
  begin(1);
  suggest(1);
  go(zero);
  end(end_class::user_error, zero, "it broke");

  ASSERT_EQ(status(), trial_status::errored);
  EXPECT_EQ(asks(), 2u);
}

TEST_F(pending, all_runs_of_a_configuration_are_one) {
  settings.repeats.runs = 2;
  begin(1);
  suggest(1);
  go(zero);
  ASSERT_EQ(asks(), 2u);
  suggest(1);
  go(one);
  ASSERT_EQ(asks(), 2u);
  finish(zero);

  EXPECT_EQ(asks(), 2u);
  finish(one);
  EXPECT_EQ(asks(), 3u);
}

TEST_F(pending, a_run_that_ends_leaves_room_for_the_rest_of_its_configuration_alone) {
  settings.repeats.runs = 3;
  begin(1);
  suggest(1);
  go(zero);
  finish(zero);

  ASSERT_EQ(asks(), 2u);
  suggest(1);
  go(one);
  ASSERT_EQ(asks(), 3u);
  suggest(1);
  go(two);
  finish(one);
  EXPECT_EQ(asks(), 3u);
}

TEST_F(pending, a_batch_is_asked_for_at_once_and_the_next_when_all_have_ended) {
  begin(3, true);
  EXPECT_EQ(wanted(), 3u);
  suggest(3);
  go(zero);
  go(one);
  finish(zero);
  finish(one);

  EXPECT_EQ(asks(), 1u);
  go(two);
  EXPECT_EQ(waits_for(), "[search] max_pending = 3, batch: the next are asked for when the rest of "
                         "this batch has ended: 00002");
  finish(two);

  EXPECT_EQ(asks(), 2u);
  EXPECT_EQ(wanted(), 3u);
}

TEST_F(pending, a_batch_of_which_only_a_part_came_is_asked_for_again) {
  begin(3, true);
  suggest(1);

  ASSERT_EQ(asks(), 2u);
  EXPECT_EQ(wanted(), 2u);
  suggest(1);
  ASSERT_EQ(asks(), 3u);
  EXPECT_EQ(wanted(), 1u);
  suggest(1);
  EXPECT_EQ(asks(), 3u);
}

TEST_F(pending, a_batch_has_no_drafts_and_a_bound_does) {
  begin(3, true);
  EXPECT_EQ(ports.last<cmd::ask_searcher>().what.drafts, drafting::none);

  ports = {};
  begin(3);
  EXPECT_EQ(ports.last<cmd::ask_searcher>().what.drafts, drafting::thorough);
}

TEST_F(pending, no_more_than_the_samples_are_asked_for) {
  settings.max_trials = 4;
  begin(3, true);
  suggest(3);
  for (auto id : {zero, one, two})
    go(id);
  for (auto id : {zero, one, two})
    finish(id);

  EXPECT_EQ(wanted(), 1u);
}

TEST_F(pending, a_head_that_goes_on_asks_when_the_last_would_have) {
  begin(2, true);
  suggest(2);
  go(zero);
  finish(zero);
  go(one);
  // Another experiment that is fed only the log.
  experiment next{
      settings, scheduler_traits{.choose_ahead = 4}, searcher_traits{.exhaustible = true}, {}};
  for (const auto& x : ports.log)
    static_cast<void>(next.apply(x));
  for (const auto& x : next.outstanding())
    EXPECT_FALSE(std::holds_alternative<cmd::log>(x.what));
  EXPECT_EQ(next.view().waits_for, waits_for());
  finish(one);
  auto asked = false;
  for (auto i = next.last_seq(); i < ports.log.size(); ++i) {
    for (const auto& x : next.apply(ports.log[i]))
      asked = asked || std::holds_alternative<cmd::ask_searcher>(x.what);
  }

  EXPECT_TRUE(asked);
}

} // namespace
} // namespace tune
