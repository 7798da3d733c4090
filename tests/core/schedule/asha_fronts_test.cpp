// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/schedule/asha/fronts.hpp"

#include "tune/core/pareto/dominance.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <random>
#include <set>

namespace tune::asha {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

using point = std::vector<double>;

fronts with(const std::vector<point>& points) {
  fronts result{static_cast<std::uint32_t>(points.front().size())};
  for (const auto& x : points)
    result.insert(x);
  return result;
}

TEST(dominates, means_nowhere_worse_and_somewhere_better) {
  EXPECT_TRUE(dominates(point{2, 1}, point{1, 1}));
  EXPECT_FALSE(dominates(point{1, 1}, point{1, 1}));
  EXPECT_FALSE(dominates(point{2, 0}, point{1, 1}));
}

TEST(asha_fronts, rank_points_by_who_dominates_them) {
  // (3,1), (2,2), (1,3) are best; (2,1) and (1,2) second; (1,1) last.
  auto uut = with({{1, 1}, {3, 1}, {2, 2}, {2, 1}, {1, 3}, {1, 2}});

  ASSERT_EQ(uut.count(), 3u);
  EXPECT_THAT(uut.members(0), UnorderedElementsAre(1u, 2u, 4u));
  EXPECT_THAT(uut.members(1), UnorderedElementsAre(3u, 5u));
  EXPECT_THAT(uut.members(2), UnorderedElementsAre(0u));
  EXPECT_EQ(uut.index_of(5), 1u);
  EXPECT_EQ(uut.before(2), 5u);
}

TEST(asha_fronts, a_new_best_point_pushes_all_fronts_back) {
  auto uut = with({{1, 1}, {2, 2}, {3, 3}});
  uut.insert(point{4, 4});

  ASSERT_EQ(uut.count(), 4u);
  for (std::uint32_t i = 0; i < 4; ++i)
    EXPECT_EQ(uut.index_of(i), 3 - i);
}

TEST(asha_fronts, equal_points_share_a_front) {
  auto uut = with({{1, 1}, {1, 1}, {1, 1}});

  EXPECT_EQ(uut.count(), 1u);
}

TEST(asha_fronts, the_best_so_many_are_whole_fronts_and_a_part_of_the_next) {
  auto uut = with({{4, 0}, {3, 1}, {2, 2}, {1, 3}, {0, 4}, {-1, -1}});

  EXPECT_EQ(uut.best(0).whole, 0u);
  EXPECT_THAT(uut.best(0).rest, IsEmpty());
  // Taken are the best in the first score, the one farthest from it, and the one in the middle.
  EXPECT_THAT(uut.best(3).rest, ElementsAre(0u, 4u, 2u));
  EXPECT_EQ(uut.best(5).whole, 1u);
  EXPECT_THAT(uut.best(5).rest, IsEmpty());
  EXPECT_EQ(uut.best(9).whole, 2u);
}

TEST(asha_fronts, large_fronts_are_cut_by_a_lot_that_keeps_who_was_drawn) {
  fronts uut{2};
  for (int i = 0; i < 1000; ++i)
    uut.insert(point{static_cast<double>(i), static_cast<double>(-i)});

  auto few = uut.best(100).rest;
  auto more = uut.best(200).rest;

  ASSERT_EQ(few.size(), 100u);
  EXPECT_TRUE(std::equal(few.begin(), few.end(), more.begin()));
  // About half of the 200 are in either half.
  auto low = std::count_if(more.begin(), more.end(), [](auto slot) { return slot < 500; });
  EXPECT_GT(low, 70);
  EXPECT_LT(low, 130);
}

TEST(asha_fronts, marks_go_with_their_points) {
  auto uut = with({{1, 1}, {0, 2}});
  uut.mark(0, true);
  uut.insert(point{2, 1});

  EXPECT_EQ(uut.marked_in(0), 0u);
  EXPECT_EQ(uut.marked_in(1), 1u);
  uut.insert(point{5, 5});
  EXPECT_EQ(uut.marked_in(2), 1u);
  uut.mark(0, false);
  EXPECT_EQ(uut.marked_in(2), 0u);
}

TEST(spread, measures_each_score_by_its_range) {
  // The second score has a thousand times the range of the first, but both count alike.
  const point values{1, 0, 0.9, 100, 0.5, 500, 0, 1000};

  EXPECT_THAT(spread(values, 2, 3), ElementsAre(0u, 3u, 2u));
}

TEST(spread, bears_equal_and_infinite_points) {
  constexpr auto infinity = std::numeric_limits<double>::infinity();

  EXPECT_THAT(spread(point{1, 1, 1, 1, 1, 1}, 2, 3), ElementsAre(0u, 1u, 2u));
  EXPECT_THAT(spread(point{infinity, 0, 1, 1, -infinity, 2}, 2, 3), ElementsAre(0u, 2u, 1u));
}

/// Peels off front after front.
std::vector<std::uint32_t> peeled(const std::vector<point>& all) {
  constexpr auto none = std::numeric_limits<std::uint32_t>::max();
  std::vector<std::uint32_t> result(all.size(), none);
  std::size_t left = all.size();
  for (std::uint32_t front = 0; left > 0; ++front) {
    std::vector<std::size_t> here;
    for (std::size_t i = 0; i < all.size(); ++i) {
      auto is_free = [&](std::size_t j) { return result[j] == none; };
      auto beaten = false;
      for (std::size_t j = 0; j < all.size() && !beaten; ++j)
        beaten = is_free(j) && dominates(all[j], all[i]);
      if (is_free(i) && !beaten)
        here.push_back(i);
    }
    for (auto i : here)
      result[i] = front;
    left -= here.size();
  }
  return result;
}

TEST(asha_fronts, agree_with_peeling) {
  for (unsigned seed = 1; seed <= 12; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937 random{seed};
    auto pick = [&](int below) { return std::uniform_int_distribution{0, below - 1}(random); };
    auto objectives = 2 + pick(3);
    auto range = seed % 3 == 0 ? 6 : 1000;
    fronts uut{static_cast<std::uint32_t>(objectives)};
    std::vector<point> all;
    for (int i = 0; i < 250; ++i) {
      point x;
      // With every other seed the scores of a point are correlated.
      auto common = seed % 2 == 0 ? pick(range) : 0;
      for (int k = 0; k < objectives; ++k)
        x.push_back(common + pick(range));
      all.push_back(x);
      uut.insert(x);
      if (i % 10 != 0)
        continue;
      auto expected = peeled(all);
      for (std::uint32_t slot = 0; slot < all.size(); ++slot)
        ASSERT_EQ(uut.index_of(slot), expected[slot]) << "point " << slot << " of " << all.size();
    }
  }
}

} // namespace
} // namespace tune::asha
