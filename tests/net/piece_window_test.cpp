// SPDX-License-Identifier: BSD-3-Clause
#include "../../src/net/piece_window.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace tune {
namespace {

using piece = piece_window::piece;

std::vector<piece> all_due(piece_window& from) {
  std::vector<piece> result;
  while (auto next = from.next_due())
    result.push_back(*next);
  return result;
}

TEST(piece_window, asks_for_as_many_pieces_as_it_has_credit) {
  piece_window uut{100, 10, 3};

  EXPECT_EQ(all_due(uut), (std::vector<piece>{{0, 10}, {10, 10}, {20, 10}}));
  EXPECT_EQ(all_due(uut), std::vector<piece>{});
}

TEST(piece_window, asks_for_one_more_for_each_that_came) {
  piece_window uut{100, 10, 3};
  all_due(uut);

  EXPECT_TRUE(uut.take(0, 10));
  EXPECT_EQ(all_due(uut), (std::vector<piece>{{30, 10}}));
  EXPECT_TRUE(uut.take(10, 10));
  EXPECT_TRUE(uut.take(20, 10));
  EXPECT_EQ(all_due(uut), (std::vector<piece>{{40, 10}, {50, 10}}));
}

TEST(piece_window, ends_with_a_piece_that_fits) {
  piece_window uut{25, 10, 9};

  EXPECT_EQ(all_due(uut), (std::vector<piece>{{0, 10}, {10, 10}, {20, 5}}));
  EXPECT_TRUE(uut.take(0, 10));
  EXPECT_TRUE(uut.take(10, 10));
  EXPECT_FALSE(uut.is_done());
  EXPECT_TRUE(uut.take(20, 5));
  EXPECT_TRUE(uut.is_done());
  EXPECT_EQ(all_due(uut), std::vector<piece>{});
}

TEST(piece_window, takes_nothing_but_what_has_to_come_next) {
  piece_window uut{100, 10, 3};

  EXPECT_FALSE(uut.take(0, 10)) << "it was not asked for";
  all_due(uut);
  EXPECT_FALSE(uut.take(10, 10)) << "the first was left out";
  EXPECT_FALSE(uut.take(0, 9)) << "it is too short";
  EXPECT_FALSE(uut.take(0, 11)) << "it is too long";
  EXPECT_TRUE(uut.take(0, 10));
  EXPECT_FALSE(uut.take(0, 10)) << "it came twice";
  EXPECT_FALSE(uut.take(~std::uint64_t{0}, 10));
}

TEST(piece_window, needs_no_piece_of_nothing) {
  piece_window uut{0, 10, 3};

  EXPECT_EQ(all_due(uut), std::vector<piece>{});
  EXPECT_TRUE(uut.is_done());
}

} // namespace
} // namespace tune
