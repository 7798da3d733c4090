// SPDX-License-Identifier: BSD-3-Clause
#include "../../../src/core/experiment/best_so_far.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace tune {
namespace {

constexpr trial_id one{1};
constexpr trial_id two{2};

best_report report_of(lineage_id lineage = 1) {
  return {std::make_shared<const object>(), lineage, std::make_shared<const report>()};
}

checkpoint_entry made_at(std::uint64_t iteration, std::vector<double> scores) {
  checkpoint_entry result;
  result.trial = one;
  result.iteration = iteration;
  result.location = "somewhere";
  result.marks.scores = std::move(scores);
  return result;
}

TEST(best_so_far, is_beaten_by_anybody_at_first) {
  best_so_far uut;

  EXPECT_FALSE(uut.told().has_value());
  EXPECT_FALSE(uut.is(one));
  EXPECT_TRUE(uut.is_beaten_by(two, {0, -1}));
}

TEST(best_so_far, is_beaten_by_a_better_report_and_by_a_smaller_number_that_ties) {
  best_so_far uut;
  uut.set(two, report_of(), {0, 5});

  EXPECT_TRUE(uut.is_beaten_by(trial_id{3}, {0, 6}));
  EXPECT_FALSE(uut.is_beaten_by(trial_id{3}, {0, 5}));
  EXPECT_TRUE(uut.is_beaten_by(one, {0, 5}));
  EXPECT_FALSE(uut.is_beaten_by(one, {1, 6}));
}

TEST(best_so_far, tells_apart_the_lineages_of_a_trial) {
  best_so_far uut;
  uut.set(one, report_of(2), {0, 5});

  EXPECT_TRUE(uut.is(one));
  EXPECT_TRUE(uut.is(one, 2));
  EXPECT_FALSE(uut.is(one, 1));
}

TEST(best_so_far, tells_of_its_checkpoint_with_objectives_as_reported) {
  best_so_far uut;
  uut.set(one, report_of(), {0, -5});
  const auto at = made_at(3, {-5, std::numeric_limits<double>::quiet_NaN()});
  uut.set_checkpoint({7}, &at, {{"loss", false}, {"size", false}});

  EXPECT_EQ(uut.checkpoint(), checkpoint_id{7});
  EXPECT_EQ(uut.told()->checkpoint, "somewhere");
  EXPECT_EQ(uut.told()->checkpoint_iteration, 3u);
  ASSERT_NE(uut.told()->checkpoint_metrics, nullptr);
  EXPECT_EQ(uut.told()->checkpoint_metrics->find("loss")->number(), 5);
  EXPECT_EQ(uut.told()->checkpoint_metrics->find("size"), nullptr);
}

TEST(best_so_far, tells_nothing_of_a_checkpoint_that_it_no_longer_has) {
  best_so_far uut;
  uut.set(one, report_of(), {0, -5});
  const auto at = made_at(3, {-5});
  uut.set_checkpoint({7}, &at, {{"loss", false}});
  uut.set_checkpoint({}, nullptr, {{"loss", false}});

  EXPECT_FALSE(uut.checkpoint());
  EXPECT_EQ(uut.told()->checkpoint, "");
  EXPECT_EQ(uut.told()->checkpoint_iteration, 0u);
  EXPECT_EQ(uut.told()->checkpoint_metrics, nullptr);
}

} // namespace
} // namespace tune
