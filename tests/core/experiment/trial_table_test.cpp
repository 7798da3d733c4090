// SPDX-License-Identifier: BSD-3-Clause
#include "../../../src/core/experiment/trial_table.hpp"

#include <gtest/gtest.h>

namespace tune {
namespace {

TEST(trial_table, numbers_trials_from_zero) {
  trial_table uut;

  EXPECT_EQ(uut.next(), trial_id{0});
  EXPECT_EQ(uut.add().id, trial_id{0});
  EXPECT_EQ(uut.add().id, trial_id{1});
  EXPECT_EQ(uut.next(), trial_id{2});
  EXPECT_FALSE(uut.knows(trial_id{2}));
}

TEST(trial_table, lists_those_that_live) {
  trial_table uut;
  uut.add();
  uut.add();
  uut.end(trial_id{0});

  EXPECT_EQ(uut.live(), std::set<trial_id>{trial_id{1}});
  EXPECT_EQ(uut.live(trial_id{0}), nullptr);
  EXPECT_TRUE(uut.knows(trial_id{0}));
  EXPECT_NE(uut.live(trial_id{1}), nullptr);
  EXPECT_EQ(uut.live(trial_id{9}), nullptr);
}

TEST(trial_table, keeps_the_entry_of_a_trial_that_is_revived) {
  trial_table uut;
  uut.add();
  uut[trial_id{0}].high_water = 7;
  uut.end(trial_id{0});
  auto& again = uut.revive(trial_id{0});

  EXPECT_EQ(again.id, trial_id{0});
  EXPECT_EQ(again.high_water, 0u);
  EXPECT_EQ(uut[trial_id{0}].high_water, 7u);
  EXPECT_EQ(uut.live(), std::set<trial_id>{trial_id{0}});
}

} // namespace
} // namespace tune
