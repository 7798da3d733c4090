// The values that a simulated experiment keeps its time, log and checkpoints in.
// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/simulate/head_clock.hpp"
#include "tune/core/simulate/simulated_disk.hpp"
#include "tune/core/simulate/simulated_log.hpp"

#include <gtest/gtest.h>

namespace tune {
namespace {

TEST(head_clock, stands_still_while_there_is_no_head) {
  head_clock uut;
  uut.begin_head(instant{0}, instant{0});
  EXPECT_EQ(uut.elapsed(instant{5}), instant{5});

  // The last event of the lost head was at 5.
  uut.begin_head(instant{8}, instant{5});
  EXPECT_EQ(uut.elapsed(instant{8}), instant{5});
  EXPECT_EQ(uut.time_of(instant{6}), instant{9});
}

TEST(head_clock, stops_with_the_experiment) {
  head_clock uut;
  uut.begin_head(instant{0}, instant{0});
  uut.stop(instant{3});
  uut.stop(instant{4});

  EXPECT_EQ(uut.elapsed(instant{9}), instant{3});
}

TEST(head_clock, lets_what_is_due_wait_for_a_sleeping_head) {
  head_clock uut;
  uut.begin_head(instant{0}, instant{0});
  uut.fall_asleep(instant{2}, instant{5});

  EXPECT_TRUE(uut.is_asleep(instant{6}));
  EXPECT_FALSE(uut.is_asleep(instant{7}));
  EXPECT_EQ(uut.time_of(instant{3}), instant{7});
  EXPECT_EQ(uut.time_of(instant{9}), instant{9});
  EXPECT_EQ(uut.sleeps(), 1u);
}

TEST(simulated_log, loses_what_is_not_on_disk) {
  simulated_log uut;
  uut.append({});
  uut.begin_commit();
  uut.append({});
  EXPECT_EQ(uut.on_disk(), 0u);
  uut.end_commit();
  EXPECT_EQ(uut.on_disk(), 1u);
  EXPECT_FALSE(uut.is_on_disk());

  uut.crash(true);
  EXPECT_EQ(uut.events().size(), 1u);
}

TEST(simulated_log, may_find_a_commit_under_way_on_disk) {
  for (auto commits : {false, true}) {
    simulated_log uut;
    uut.append({});
    uut.begin_commit();
    uut.append({});
    uut.crash(commits);

    EXPECT_EQ(uut.events().size(), commits ? 1u : 0u);
    EXPECT_FALSE(uut.is_committing());
  }
}

TEST(simulated_disk, numbers_what_was_handed_over_as_often_as_it_is_told) {
  simulated_disk uut;
  uut.hand_over("there/1", trial_id{4});
  uut.number(checkpoint_id{1}, "there/1");
  uut.number(checkpoint_id{2}, "there/1");
  uut.number(checkpoint_id{3}, "elsewhere");

  EXPECT_EQ(uut.numbered().at(checkpoint_id{2}).trial, trial_id{4});
  EXPECT_FALSE(uut.has(checkpoint_id{3}));
}

TEST(simulated_disk, loses_what_lies_in_memory) {
  simulated_disk uut;
  uut.write(checkpoint_id{1}, {trial_id{1}, false, 0});
  uut.write(checkpoint_id{2}, {trial_id{1}, false, 1});
  uut.write(checkpoint_id{3}, {trial_id{1}});

  uut.lose_memory(0);
  EXPECT_FALSE(uut.has(checkpoint_id{1}));
  EXPECT_TRUE(uut.has(checkpoint_id{2}));

  uut.sweep([](checkpoint_id, const simulated_checkpoint&) { return true; });
  EXPECT_FALSE(uut.has(checkpoint_id{2}));
  EXPECT_TRUE(uut.has(checkpoint_id{3}));
}

} // namespace
} // namespace tune
