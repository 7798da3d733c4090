// What people are told when trials lose what they paused with in memory.
// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/experiment/lost_pauses.hpp"

#include <gtest/gtest.h>

namespace tune {
namespace {

using turn = lost_pauses::turn;

TEST(lost_pauses, of_one_trial_say_from_what_and_when_it_goes_on) {
  const auto told = [](turn when, bool has_checkpoint) {
    lost_pauses uut;
    uut.add({{7}, when, has_checkpoint});
    return uut.text("was lost");
  };

  EXPECT_EQ(told(turn::at_once, true),
            "trial 00007: what it paused with was lost; it goes on from its newest checkpoint on "
            "disk");
  EXPECT_EQ(told(turn::when_there_is_room, false),
            "trial 00007: what it paused with was lost; it goes on from scratch as soon as there "
            "is room");
  EXPECT_EQ(told(turn::if_chosen, false),
            "trial 00007: what it paused with was lost; it goes on from scratch if the scheduler "
            "chooses it again");
  EXPECT_EQ(told(turn::when_unpaused, false),
            "trial 00007: what it paused with was lost; it goes on from scratch once a client "
            "unpauses it");
}

TEST(lost_pauses, of_several_trials_count_them) {
  lost_pauses uut;
  for (std::uint64_t i = 1; i <= 7; ++i)
    uut.add({{i}, turn::if_chosen, false});

  EXPECT_EQ(uut.text("was lost"),
            "what 7 trials (00001, 00002, 00003, 00004, 00005 and 2 more) paused with was lost; "
            "they go on from scratch if the scheduler chooses them again");
}

TEST(lost_pauses, of_trials_that_differ_count_each_kind) {
  lost_pauses uut;
  uut.add({{1}, turn::when_there_is_room, true});
  uut.add({{2}, turn::if_chosen, false});
  uut.add({{3}, turn::if_chosen, true});

  EXPECT_EQ(uut.text("was lost"),
            "what 3 trials (00001, 00002, 00003) paused with was lost; they go on from their "
            "newest checkpoints on disk (1 from scratch), 1 as soon as there is room, 2 if the "
            "scheduler chooses them again");
}

TEST(lost_pauses, are_empty_without_a_trial) {
  lost_pauses uut;
  EXPECT_TRUE(uut.is_empty());
  uut.add({});
  EXPECT_FALSE(uut.is_empty());
}

} // namespace
} // namespace tune
