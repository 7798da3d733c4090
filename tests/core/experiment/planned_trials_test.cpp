// The number of trials there will be.
// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/experiment/planned_trials.hpp"

#include "support/run_by_hand.hpp"

#include <gtest/gtest.h>

namespace tune {
namespace {

repeat_rule rule(std::uint32_t runs, std::uint32_t confirm = 0, std::uint32_t confirm_runs = 3) {
  repeat_rule result;
  result.runs = runs;
  result.confirm = confirm;
  result.confirm_runs = confirm_runs;
  return result;
}

TEST(planned_trials, are_unknown_until_the_search_has_ended) {
  EXPECT_FALSE(planned_trials(0, rule(1), {5, 2, 0}, false));
  EXPECT_EQ(planned_trials(0, rule(1), {5, 2, 0}, true), 7u);
}

TEST(planned_trials, are_samples_and_what_clients_added) {
  EXPECT_EQ(planned_trials(20, rule(1), {}, false), 20u);
  EXPECT_EQ(planned_trials(20, rule(1), {4, 3, 0}, false), 23u);
  // More had begun than are wanted now.
  EXPECT_EQ(planned_trials(4, rule(1), {6, 0, 0}, false), 6u);
  // The space was too small.
  EXPECT_EQ(planned_trials(20, rule(1), {8, 1, 0}, true), 9u);
}

TEST(planned_trials, are_also_those_that_confirm) {
  EXPECT_EQ(planned_trials(20, rule(1, 2), {}, false), 26u);
  EXPECT_EQ(planned_trials(60, rule(3, 2, 5), {60, 3, 0}, false), 73u);
  EXPECT_EQ(planned_trials(60, rule(3, 2, 5), {60, 3, 4}, false), 73u);
  // A configuration that was added later was confirmed besides.
  EXPECT_EQ(planned_trials(60, rule(3, 2, 5), {60, 3, 15}, false), 78u);
  // No more configurations are confirmed than there are.
  EXPECT_EQ(planned_trials(3, rule(3, 5), {}, false), 6u);
  EXPECT_EQ(planned_trials(3, rule(3, 5), {3, 3, 0}, false), 12u);
}

TEST(planned_trials, of_an_added_configuration_are_its_runs) {
  EXPECT_EQ(runs_of_added(rule(1), false), 1u);
  EXPECT_EQ(runs_of_added(rule(3), false), 3u);
  EXPECT_EQ(runs_of_added(rule(3), true), 1u);
}

struct planned_by_machine : support::run_by_hand, testing::Test {
  [[nodiscard]] std::optional<std::uint64_t> planned() const {
    return uut->machine().view().planned;
  }
  void add() {
    EXPECT_EQ(order(on::add_asked{{}, std::make_shared<object>(object{{"x", 9}})}).what,
              order_verdict::kind::taken);
  }
  void exhaust() {
    post(on::suggested{ports.all<cmd::ask_searcher>().back().what.number,
                       exhausted{"all 2 configurations were suggested"}});
  }
};

TEST_F(planned_by_machine, grow_with_what_clients_add) {
  settings.expected_samples = 5;
  open(2);
  EXPECT_EQ(planned(), 5u);
  add();
  EXPECT_EQ(planned(), 6u);
}

TEST_F(planned_by_machine, are_what_there_is_once_the_searcher_has_no_more) {
  settings.expected_samples = 5;
  open(2);
  add();
  // The searcher is asked again once nobody waits.
  for (std::uint64_t i = 0; i < 3; ++i)
    run({i});
  exhaust();
  EXPECT_EQ(planned(), 3u);
}

TEST_F(planned_by_machine, count_all_runs_and_those_that_confirm) {
  settings.expected_samples = 6;
  settings.repeats = rule(3, 1, 2);
  open(2);
  EXPECT_EQ(planned(), 8u);
  add();
  EXPECT_EQ(planned(), 11u);
}

TEST_F(planned_by_machine, are_those_of_the_next_head_where_it_wants_more) {
  settings.expected_samples = settings.sample_limit = 2;
  open(2);
  add();
  settings.expected_samples = settings.sample_limit = 7;
  uut->go_by({settings, {}});
  post(on::opened{2, "test", "{}", 1, opening::at_once, on::present_draws});
  EXPECT_EQ(planned(), 8u);
}

} // namespace
} // namespace tune
