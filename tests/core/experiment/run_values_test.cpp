// The small values that the machine keeps its books in.
// SPDX-License-Identifier: BSD-3-Clause
#include "../../../src/core/experiment/answered_reports.hpp"
#include "../../../src/core/experiment/cluster_offer.hpp"
#include "../../../src/core/experiment/failure_record.hpp"
#include "../../../src/core/experiment/head_terms.hpp"
#include "../../../src/core/experiment/notices.hpp"
#include "../../../src/core/experiment/open_end_queue.hpp"
#include "../../../src/core/experiment/run_ending.hpp"

#include <gtest/gtest.h>

namespace tune {
namespace {

std::shared_ptr<const report> numbered(std::uint64_t number, std::uint64_t iteration) {
  auto result = std::make_shared<report>();
  result->number = number;
  result->iteration = iteration;
  return result;
}

TEST(answered_reports, wait_until_the_last_one_is_answered) {
  answered_reports uut;
  EXPECT_FALSE(uut.wait());
  EXPECT_EQ(uut.number(), 0u);

  uut.take(numbered(2, 7));
  EXPECT_TRUE(uut.wait());
  EXPECT_EQ(uut.iteration(), 7u);

  uut.answer();
  EXPECT_FALSE(uut.wait());
  EXPECT_EQ(uut.answered(), 2u);

  uut.reopen();
  EXPECT_TRUE(uut.wait());
}

TEST(answered_reports, never_take_back_what_was_allowed) {
  answered_reports uut;
  uut.allow(5);
  uut.allow(3);

  EXPECT_EQ(uut.credit(), 5u);
}

TEST(failure_record, counts_only_failures_as_such) {
  failure_record uut;
  EXPECT_EQ(uut.add(end_class::user_error), 1u);
  EXPECT_EQ(uut.add(end_class::user_error), 2u);
  EXPECT_EQ(uut.add(end_class::finished), 1u);

  EXPECT_EQ(uut.of(end_class::user_error), 2u);
  EXPECT_EQ(uut.count(), 2u);
}

TEST(run_ending, comes_to_the_early_end_that_began_first) {
  run_ending uut;
  EXPECT_TRUE(uut.begin({experiment_status::stopped, "a client", false}));
  EXPECT_FALSE(uut.begin({experiment_status::interrupted, "Ctrl-C", true}));

  EXPECT_TRUE(uut.drains());
  EXPECT_FALSE(uut.leaves_off());
  EXPECT_EQ(uut.how().why, "a client");
}

TEST(run_ending, remembers_the_last_final_end_for_the_next_head) {
  run_ending uut;
  EXPECT_TRUE(uut.begin({experiment_status::stopped, "a client", false}));
  uut.finish();
  uut.begin_head();

  EXPECT_FALSE(uut.is_finished());
  EXPECT_FALSE(uut.drains());
  ASSERT_TRUE(uut.last_early());
  EXPECT_EQ(uut.last_early()->why, "a client");

  uut.forget_last();
  EXPECT_FALSE(uut.last_early());
}

TEST(run_ending, forgets_an_interruption) {
  run_ending uut;
  EXPECT_TRUE(uut.begin({experiment_status::interrupted, "Ctrl-C", true}));
  EXPECT_TRUE(uut.leaves_off());
  uut.finish();
  uut.begin_head();

  EXPECT_FALSE(uut.last_early());
}

TEST(head_terms, numbers_attempts_from_one_under_each_head) {
  head_terms uut;
  on::opened first;
  first.epoch = 1;
  uut.begin_head(first);
  EXPECT_EQ(uut.next_attempt(), (attempt_id{1, 1}));
  uut.note({1, 1});
  EXPECT_EQ(uut.next_attempt(), (attempt_id{1, 2}));

  on::opened second;
  second.epoch = 2;
  uut.begin_head(second);
  EXPECT_EQ(uut.next_attempt(), (attempt_id{2, 1}));
  EXPECT_TRUE(uut.is_older({1, 1}));
  EXPECT_FALSE(uut.is_older({2, 1}));
}

TEST(head_terms, keep_places_unless_an_executor_opened_them) {
  head_terms uut;
  on::opened what;
  what.draws = on::present_draws;
  what.how = opening::at_once;
  uut.begin_head(what);
  EXPECT_TRUE(uut.keeps_places());

  what.how = opening::executed;
  uut.begin_head(what);
  EXPECT_FALSE(uut.keeps_places());
}

TEST(cluster_offer, forgets_the_places_of_a_lost_node) {
  cluster_offer uut;
  uut.add("a", {});
  uut.watch(3, 0, true, instant{1});
  EXPECT_EQ(uut.free().most_running(), 3u);

  EXPECT_FALSE(uut.remove("b"));
  EXPECT_EQ(uut.free().most_running(), 3u);
  EXPECT_TRUE(uut.remove("a"));
  EXPECT_EQ(uut.free().most_running(), 0u);
}

TEST(cluster_offer, hands_out_the_nodes_of_the_last_head_once) {
  cluster_offer uut;
  uut.add("a", {});

  EXPECT_EQ(uut.begin_head().size(), 1u);
  EXPECT_TRUE(uut.begin_head().empty());
}

TEST(open_end_queue, says_whether_the_log_is_yet_to_hear_of_a_loss) {
  open_end_queue uut;
  uut.add(trial_id{1});
  uut.begin_giving_up();
  uut.remove(trial_id{1});

  EXPECT_TRUE(uut.waiting().empty());
  EXPECT_TRUE(uut.is_giving_up());
  uut.end_giving_up();
  EXPECT_FALSE(uut.is_giving_up());
}

TEST(alike_failures, end_with_the_first_report) {
  alike_failures uut;
  EXPECT_FALSE(uut.is_over());
  EXPECT_TRUE(uut.end());
  EXPECT_FALSE(uut.end());
  EXPECT_TRUE(uut.is_over());
}

} // namespace
} // namespace tune
