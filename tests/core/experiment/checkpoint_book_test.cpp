// SPDX-License-Identifier: BSD-3-Clause
#include "../../../src/core/experiment/checkpoint_book.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tune {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr trial_id one{1};
constexpr trial_id two{2};

checkpoint_id id(std::uint64_t number) {
  return {number};
}

checkpoint_entry entry(trial_id of, std::uint64_t bytes, std::optional<double> rank = {}) {
  checkpoint_entry result;
  result.trial = of;
  result.bytes = bytes;
  result.marks.rank = rank;
  return result;
}

checkpoint_entry in_memory(trial_id of, std::uint64_t bytes) {
  auto result = entry(of, bytes);
  result.node = "a";
  return result;
}

TEST(checkpoint_book, numbers_checkpoints_above_all_others) {
  checkpoint_book uut;
  EXPECT_EQ(uut.next(), id(1));
  EXPECT_EQ(uut.make(), id(1));
  uut.note_made(id(7));
  uut.note_made(id(3));
  EXPECT_EQ(uut.last(), id(7));
  uut.keep(id(9), entry(one, 1));
  EXPECT_EQ(uut.make(), id(10));
}

TEST(checkpoint_book, counts_those_on_disk) {
  checkpoint_book uut;
  uut.keep(id(1), entry(one, 10));
  uut.keep(id(2), entry(two, 5));
  uut.keep(id(3), entry(one, 1));
  uut.keep_in_memory(id(4), in_memory(one, 100));

  EXPECT_EQ(uut.bytes(), 16u);
  EXPECT_THAT(uut.of(one), ElementsAre(id(1), id(3)));
  EXPECT_TRUE(uut.contains(id(4)));
}

TEST(checkpoint_book, knows_doomed_ones_but_counts_them_no_more) {
  checkpoint_book uut;
  uut.keep(id(1), entry(one, 10));
  uut.keep_in_memory(id(2), in_memory(one, 100));
  uut.doom(id(1));
  uut.doom(id(2));

  EXPECT_EQ(uut.bytes(), 0u);
  EXPECT_THAT(uut.of(one), IsEmpty());
  EXPECT_TRUE(uut.find(id(1))->doomed);
  EXPECT_TRUE(uut.find(id(2))->doomed);
  uut.erase(id(1));
  EXPECT_EQ(uut.find(id(1)), nullptr);
}

TEST(checkpoint_book, removes_the_least_worth_first_and_skips_what_stays) {
  checkpoint_book uut;
  uut.keep(id(1), entry(one, 10, 3.0));
  uut.keep(id(2), entry(one, 10, 1.0));
  uut.keep(id(3), entry(two, 10, 2.0));
  const auto all = uut.beyond(10, [](auto, const auto&) { return false; });
  EXPECT_THAT(all.which, ElementsAre(id(2), id(3)));
  EXPECT_EQ(all.left, 10u);

  const auto some = uut.beyond(10, [](auto x, const auto&) { return x != id(3); });
  EXPECT_THAT(some.which, ElementsAre(id(3)));
  EXPECT_EQ(some.left, 20u);
}

TEST(checkpoint_book, ranks_a_bad_one_last_even_if_it_becomes_bad_later) {
  checkpoint_book uut;
  uut.keep(id(1), entry(one, 10, 3.0));
  uut.keep(id(2), entry(one, 10, 1.0));
  EXPECT_TRUE(uut.note_bad(id(1)));
  EXPECT_FALSE(uut.note_bad(id(1)));
  EXPECT_FALSE(uut.note_bad(id(9)));

  const auto all = uut.beyond(10, [](auto, const auto&) { return false; });
  EXPECT_THAT(all.which, ElementsAre(id(1)));
}

TEST(checkpoint_book, does_not_count_a_doomed_one_again_that_becomes_bad) {
  checkpoint_book uut;
  uut.keep(id(1), entry(one, 10));
  uut.doom(id(1));
  EXPECT_TRUE(uut.note_bad(id(1)));

  EXPECT_THAT(uut.beyond(0, [](auto, const auto&) { return false; }).which, IsEmpty());
  EXPECT_EQ(uut.bytes(), 0u);
}

TEST(checkpoint_book, knows_from_whose_checkpoints_a_trial_began) {
  checkpoint_book uut;
  uut.keep(id(1), entry(two, 1));
  uut.keep(id(2), entry(two, 1));
  uut.begin_from(one, id(1));
  uut.begin_from(one, id(2));
  uut.begin_from(one, id(1));
  EXPECT_THAT(uut.origins_of(one), ElementsAre(id(2), id(1)));

  uut.doom(id(2));
  uut.erase(id(2));
  EXPECT_THAT(uut.origins_of(one), ElementsAre(id(1)));
  EXPECT_THAT(uut.origins_of(two), IsEmpty());
}

TEST(checkpoint_book, lists_each_borrower_once_while_it_may_use_the_checkpoint) {
  checkpoint_book uut;
  uut.keep(id(1), entry(one, 1));
  auto all = [](trial_id) { return true; };
  uut.lend(id(1), two, all);
  uut.lend(id(1), trial_id{3}, all);
  uut.lend(id(1), two, all);
  EXPECT_THAT(uut.at(id(1)).borrowers, ElementsAre(trial_id{3}, two));

  uut.lend(id(1), trial_id{4}, [](trial_id x) { return x == two; });
  EXPECT_THAT(uut.at(id(1)).borrowers, ElementsAre(two, trial_id{4}));
}

} // namespace
} // namespace tune
