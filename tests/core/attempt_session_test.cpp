// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/trial/attempt_session.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <string>

namespace tune {
namespace {

using namespace std::chrono_literals;

TEST(attempt_session, numbers_reports_and_counts_iterations_from_where_it_began) {
  attempt_session uut{4, 10s, 100s};

  auto first = *uut.make({{"loss", 1.0}}, 101s, 5);
  uut.go_on(103s);
  auto second = *uut.make({{"loss", 0.5}}, 104s, 6);

  EXPECT_EQ(first.number, 1u);
  EXPECT_EQ(first.iteration, 5u);
  EXPECT_EQ(first.time_total, 11s);
  EXPECT_EQ(second.number, 2u);
  EXPECT_EQ(second.iteration, 6u);
  EXPECT_EQ(second.time_this_iter, 1s);
  EXPECT_EQ(second.time_total, 12s);
}

TEST(attempt_session, takes_the_trainables_own_iteration_and_counts_on_from_there) {
  attempt_session uut{0, 0s, 0s};

  EXPECT_EQ(uut.make({{"training_iteration", 10}}, 0s, 0)->iteration, 10u);
  EXPECT_EQ(uut.make({}, 0s, 0)->iteration, 11u);
  EXPECT_EQ(uut.make({{"training_iteration", 20.0}}, 0s, 0)->iteration, 20u);
}

TEST(attempt_session, refuses_iterations_that_do_not_rise_or_are_no_whole_number) {
  for (const auto& wrong : {value{10}, value{9}, value{0}, value{-4}, value{11.5}, value{"x"},
                            value{true}, value{std::numeric_limits<double>::quiet_NaN()}}) {
    attempt_session uut{0, 0s, 0s};
    static_cast<void>(uut.make({{"training_iteration", 10}}, 0s, 0));

    auto refused = uut.make({{"training_iteration", wrong}}, 0s, 0);

    ASSERT_FALSE(refused) << to_text(wrong);
    EXPECT_EQ(refused.error().code, ec::protocol);
    EXPECT_NE(refused.error().detail.find("the last one, 10,"), std::string::npos);
    EXPECT_EQ(uut.make({}, 0s, 0)->iteration, 11u);
    EXPECT_EQ(uut.number(), 2u);
  }
}

TEST(attempt_session, never_counts_into_the_negative) {
  attempt_session uut{0, 0s, 0s};

  EXPECT_FALSE(uut.make({{"training_iteration", std::numeric_limits<std::int64_t>::max()}}, 0s, 0));
  EXPECT_TRUE(uut.make({{"training_iteration", std::int64_t{1} << 53}}, 0s, 0));
  EXPECT_FALSE(uut.make({}, 0s, 0));
}

TEST(attempt_session, takes_no_integer_for_the_one_that_floating_point_rounds_it_to) {
  attempt_session uut{0, 0s, 0s};
  const value beyond{(std::int64_t{1} << 53) + 1};

  auto refused = uut.make({{"training_iteration", beyond}}, 0s, 0);

  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().detail.find("not 9007199254740993"), std::string::npos);
  EXPECT_EQ(attempt_session::iteration_of(beyond), std::nullopt);
  EXPECT_EQ(attempt_session::iteration_of(value{9007199254740992.0}), std::uint64_t{1} << 53);
}

TEST(attempt_session, keeps_the_automatic_names_out_of_the_metrics) {
  attempt_session uut{0, 0s, 0s};

  auto what = *uut.make({{"done", true}, {"pid", 7}, {"loss", 1.0}}, 0s, 0);

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
