// SPDX-License-Identifier: BSD-3-Clause
#include "tune/tuner/head_rules.hpp"

#include "tune/io/spec/record.hpp"
#include "tune/tuner/rule_parts.hpp"

#include <gtest/gtest.h>

#include <utility>

namespace tune {
namespace {

spec a_spec() {
  spec result;
  result.experiment.objectives = {{"loss", false}};
  result.experiment.num_samples = 10;
  result.trainable.kind = trainable_kind::command;
  result.stop = {{"training_iteration", "8"}};
  return result;
}

on::opened head(std::uint32_t epoch, const spec& what) {
  return {epoch, "test", to_json(what), 1};
}

head_rules rules_for(const spec& newest) {
  auto settings = settings_by(newest);
  settings.saves = save_ability::on_request;
  return head_rules{to_json(newest), std::move(settings)};
}

TEST(head_rules, change_nothing_where_the_configuration_stays) {
  auto uut = rules_for(a_spec());

  for (std::uint32_t epoch : {1, 2, 3}) {
    auto change = uut.of(head(epoch, a_spec()));
    ASSERT_TRUE(change);
    EXPECT_FALSE(*change);
  }
}

TEST(head_rules, give_each_head_its_own_budgets_and_limits) {
  auto newest = a_spec();
  newest.failure.max_failures = 3;
  newest.experiment.num_samples = 20;
  auto uut = rules_for(newest);

  auto first = uut.of(head(1, a_spec()));
  ASSERT_TRUE(first && *first);
  EXPECT_EQ((*first)->settings.failures.budget[static_cast<std::size_t>(end_class::user_error)],
            0u);
  EXPECT_EQ((*first)->settings.max_trials, 10u);
  EXPECT_EQ((*first)->settings.saves, save_ability::on_request) << "the trainable is the same";
  EXPECT_FALSE((*first)->stoppers) << "they go on with what they have seen";
  auto last = uut.of(head(2, newest));
  ASSERT_TRUE(last && *last);
  EXPECT_EQ((*last)->settings.failures.budget[static_cast<std::size_t>(end_class::user_error)], 3u);
  EXPECT_EQ((*last)->settings.max_trials, 20u);
}

TEST(head_rules, leave_counting_to_a_searcher_that_counts) {
  auto newest = a_spec();
  newest.experiment.num_samples = 20;
  auto settings = settings_by(newest);
  settings.max_trials = 0;
  head_rules uut{to_json(newest), std::move(settings)};

  auto first = uut.of(head(1, a_spec()));

  ASSERT_TRUE(first && *first);
  EXPECT_EQ((*first)->settings.max_trials, 0u);
}

TEST(head_rules, make_stop_conditions_anew_only_where_they_change) {
  auto newest = a_spec();
  newest.stop = {{"training_iteration", "4"}};
  auto uut = rules_for(newest);

  auto first = uut.of(head(1, a_spec()));
  ASSERT_TRUE(first && *first);
  EXPECT_TRUE((*first)->stoppers);
  auto second = uut.of(head(2, a_spec()));
  ASSERT_TRUE(second);
  EXPECT_FALSE(*second);
  auto third = uut.of(head(3, newest));
  ASSERT_TRUE(third && *third);
  EXPECT_TRUE((*third)->stoppers);
}

TEST(head_rules, refuse_a_configuration_that_cannot_be_read) {
  auto uut = rules_for(a_spec());

  auto change = uut.of({7, "test", "{\"experiment\":3}", 1});

  ASSERT_FALSE(change);
  EXPECT_EQ(change.error().code, ec::storage);
  EXPECT_NE(to_text(change.error()).find("head 7"), std::string::npos);
}

} // namespace
} // namespace tune
