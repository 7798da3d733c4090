// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/experiment/pending_book.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <limits>

namespace tune {
namespace {

using testing::IsEmpty;

/// Adds the trials [first, last).
void add(pending_book& to, std::uint64_t first, std::uint64_t last) {
  for (auto i = first; i < last; ++i)
    to.add(trial_id{i});
}

TEST(pending_book, has_any_room_without_a_bound) {
  pending_book uut{1};
  add(uut, 0, 100);

  EXPECT_EQ(uut.room(0, false), std::numeric_limits<std::uint64_t>::max());
}

TEST(pending_book, has_room_for_one_more_when_one_ends) {
  pending_book uut{1};
  add(uut, 0, 3);
  EXPECT_EQ(uut.room(5, false), 2u);
  EXPECT_EQ(uut.room(2, false), 0u);
  uut.end(trial_id{1});

  EXPECT_EQ(uut.room(3, false), 1u);
  EXPECT_EQ(uut.names(), "00000, 00002");
}

TEST(pending_book, has_room_for_a_batch_when_all_of_the_last_have_ended) {
  pending_book uut{1};
  EXPECT_EQ(uut.room(3, true), 3u);
  add(uut, 0, 2);
  uut.end(trial_id{0});
  EXPECT_EQ(uut.room(3, true), 1u);
  uut.add(trial_id{2});
  uut.end(trial_id{2});
  EXPECT_EQ(uut.room(3, true), 0u);
  uut.end(trial_id{1});

  EXPECT_TRUE(uut.empty());
  EXPECT_EQ(uut.room(3, true), 3u);
}

TEST(pending_book, counts_a_configuration_until_all_its_runs_have_ended) {
  pending_book uut{3};
  EXPECT_EQ(uut.room(2, false), 6u);
  add(uut, 0, 6);
  for (auto ended : {0u, 1u, 3u, 4u}) {
    uut.end(trial_id{ended});
    EXPECT_EQ(uut.room(2, false), 0u) << ended;
  }
  uut.end(trial_id{5});

  EXPECT_EQ(uut.room(2, false), 3u);
}

TEST(pending_book, counts_a_configuration_whose_runs_were_not_all_suggested) {
  pending_book uut{3};
  add(uut, 0, 4);
  EXPECT_EQ(uut.room(2, false), 2u);
  EXPECT_EQ(uut.room(1, false), 2u);
  uut.end(trial_id{3});

  EXPECT_EQ(uut.room(2, false), 2u);
}

TEST(pending_book, a_batch_is_of_whole_configurations) {
  pending_book uut{3};
  uut.add(trial_id{0});
  uut.end(trial_id{0});

  EXPECT_EQ(uut.room(2, true), 5u);
}

TEST(pending_book, what_was_set_aside_counts_again_as_a_run_of_its_configuration) {
  pending_book uut{2};
  add(uut, 0, 4);
  uut.set_aside(trial_id{2});
  uut.end(trial_id{2});
  uut.set_aside(trial_id{3});
  uut.end(trial_id{3});
  EXPECT_EQ(uut.room(2, false), 2u);
  uut.revive(trial_id{2});
  EXPECT_EQ(uut.room(2, false), 0u);
  uut.revive(trial_id{3});

  EXPECT_EQ(uut.room(2, false), 0u);
  EXPECT_EQ(uut.names(), "00000, 00001, 00002, 00003");
}

TEST(pending_book, ignores_trials_that_it_was_not_told_of) {
  pending_book uut{1};
  uut.end(trial_id{7});
  uut.set_aside(trial_id{8});
  uut.revive(trial_id{8});

  EXPECT_THAT(uut.names(), IsEmpty());
  EXPECT_EQ(uut.room(1, true), 1u);
}

TEST(pending_book, names_five_and_counts_the_rest) {
  pending_book uut{1};
  add(uut, 0, 7);

  EXPECT_EQ(uut.names(), "00000, 00001, 00002, 00003, 00004 and 2 more");
}

} // namespace
} // namespace tune
