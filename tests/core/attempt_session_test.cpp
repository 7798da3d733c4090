// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/trial/attempt_session.hpp"

#include <gtest/gtest.h>

namespace tune {
namespace {

using namespace std::chrono_literals;

TEST(attempt_session, numbers_reports_and_counts_iterations_from_where_it_began) {
  attempt_session uut{4, 10s, 100s};

  auto first = uut.make({{"loss", 1.0}}, 101s, 5);
  uut.go_on(103s);
  auto second = uut.make({{"loss", 0.5}}, 104s, 6);

  EXPECT_EQ(first.number, 1u);
  EXPECT_EQ(first.iteration, 5u);
  EXPECT_EQ(first.time_total, 11s);
  EXPECT_EQ(second.number, 2u);
  EXPECT_EQ(second.iteration, 6u);
  EXPECT_EQ(second.time_this_iter, 1s);
  EXPECT_EQ(second.time_total, 12s);
}

TEST(attempt_session, takes_the_trainables_own_iteration_only_if_it_rises) {
  attempt_session uut{0, 0s, 0s};

  EXPECT_EQ(uut.make({{"training_iteration", 10}}, 0s, 0).iteration, 10u);
  EXPECT_EQ(uut.make({{"training_iteration", 10}}, 0s, 0).iteration, 11u);
  EXPECT_EQ(uut.make({{"training_iteration", -3}}, 0s, 0).iteration, 12u);
  EXPECT_EQ(uut.make({{"training_iteration", "x"}}, 0s, 0).iteration, 13u);
}

TEST(attempt_session, keeps_the_automatic_names_out_of_the_metrics) {
  attempt_session uut{0, 0s, 0s};

  auto what = uut.make({{"done", true}, {"pid", 7}, {"loss", 1.0}}, 0s, 0);

  EXPECT_TRUE(what.done);
  EXPECT_EQ(*what.metrics, (object{{"loss", 1.0}}));
}

TEST(attempt_session, needs_no_answer_below_its_credit) {
  attempt_session uut{0, 0s, 0s};
  uut.allow(2);

  static_cast<void>(uut.make({}, 0s, 0));
  EXPECT_TRUE(uut.has_credit());
  static_cast<void>(uut.make({}, 0s, 0));
  EXPECT_FALSE(uut.has_credit());
}

} // namespace
} // namespace tune
