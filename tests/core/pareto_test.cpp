// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/pareto/dominance.hpp"
#include "tune/core/pareto/hypervolume.hpp"
#include "tune/core/rng.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace tune {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

using numbers = std::vector<double>;

constexpr auto infinity = std::numeric_limits<double>::infinity();
constexpr std::size_t all = 1000;

numbers random_points(std::size_t count, std::uint32_t objectives, rng& from, std::uint64_t steps) {
  numbers result;
  for (std::size_t i = 0; i < count * objectives; ++i)
    result.push_back(static_cast<double>(from.below(steps)));
  return result;
}

/// The definition: a point's front comes right after the last front that has a point dominating it.
std::vector<std::size_t> front_numbers(const numbers& values, std::uint32_t m) {
  auto count = values.size() / m;
  auto at = [&](std::size_t i) { return std::span{values}.subspan(i * m, m); };
  std::vector<std::size_t> result(count, 0);
  for (auto changed = true; std::exchange(changed, false);) {
    for (std::size_t i = 0; i < count; ++i) {
      for (std::size_t j = 0; j < count; ++j) {
        if (dominates(at(j), at(i)) && result[i] <= result[j]) {
          result[i] = result[j] + 1;
          changed = true;
        }
      }
    }
  }
  return result;
}

TEST(non_dominated_fronts, are_found_best_first) {
  // (3,1), (2,2), (1,3) are best; (2,1) and (1,2) second; (1,1) last.
  numbers points{1, 1, 3, 1, 2, 2, 2, 1, 1, 3, 1, 2};

  auto found = non_dominated_fronts(points, 2, all);

  EXPECT_THAT(found, ElementsAre(ElementsAre(1u, 2u, 4u), ElementsAre(3u, 5u), ElementsAre(0u)));
  EXPECT_EQ(non_dominated_fronts(points, 2, 4).size(), 2u);
  EXPECT_EQ(non_dominated_fronts(points, 2, 3).size(), 1u);
  EXPECT_THAT(non_dominated_fronts(points, 2, 0), IsEmpty());
  EXPECT_THAT(non_dominated_fronts({}, 2, 5), IsEmpty());
}

TEST(non_dominated_fronts, hold_equal_points_together) {
  EXPECT_THAT(non_dominated_fronts(numbers{1, 2, 1, 2, 0, 2}, 2, all),
              ElementsAre(ElementsAre(0u, 1u), ElementsAre(2u)));
}

TEST(non_dominated_fronts, are_what_the_definition_says) {
  rng chance{5, "fronts", 0};
  for (int round = 0; round < 60; ++round) {
    auto m = static_cast<std::uint32_t>(1 + chance.below(4));
    auto points = random_points(1 + chance.below(40), m, chance, 2 + chance.below(20));
    auto expected = front_numbers(points, m);
    std::vector<std::size_t> found(expected.size(), all);
    auto fronts = non_dominated_fronts(points, m, all);
    for (std::size_t i = 0; i < fronts.size(); ++i) {
      for (auto k : fronts[i])
        found[k] = i;
    }
    ASSERT_EQ(found, expected) << "round " << round;
  }
}

TEST(crowding, is_the_room_between_neighbours_by_the_range_of_each_score) {
  // The first scores are 0 1 2 4, the second 8 6 2 0, so the distance of (1,6) is (2-0)/4 +
  // (8-2)/8, and that of (2,2) is (4-1)/4 + (6-0)/8.
  EXPECT_THAT(crowding(numbers{2, 2, 0, 8, 4, 0, 1, 6}, 2),
              ElementsAre(1.5, infinity, infinity, 1.25));
  EXPECT_THAT(crowding(numbers{3, 3}, 2), ElementsAre(infinity));
  EXPECT_THAT(crowding({}, 2), IsEmpty());
}

TEST(crowding, counts_nothing_for_a_score_that_is_the_same_for_all) {
  EXPECT_THAT(crowding(numbers{0, 5, 1, 5, 4, 5}, 2), ElementsAre(infinity, 1.0, infinity));
}

TEST(hypervolume, is_an_area_of_two_scores) {
  // Steps of 1x3, 1x2 and 1x1 above (0, 0).
  numbers steps{1, 3, 2, 2, 3, 1};
  EXPECT_EQ(hypervolume(steps, 2, numbers{0, 0}), 6);
  EXPECT_EQ(hypervolume(steps, 2, numbers{1, 1}), 1);
  EXPECT_EQ(hypervolume(steps, 2, numbers{-1, 0}), 9);
  EXPECT_EQ(hypervolume(steps, 2, numbers{3, 3}), 0);
  EXPECT_EQ(hypervolume({}, 2, numbers{0, 0}), 0);
}

TEST(hypervolume, is_a_length_of_one_score_and_a_volume_of_three) {
  EXPECT_EQ(hypervolume(numbers{2, 5, 4}, 1, numbers{1}), 4);
  // Two boxes of 2 x 2 x 1 and 1 x 1 x 3 that share 1 x 1 x 1.
  EXPECT_EQ(hypervolume(numbers{2, 2, 1, 1, 1, 3}, 3, numbers{0, 0, 0}), 6);
  // With four scores it is the product of the sides.
  EXPECT_EQ(hypervolume(numbers{2, 3, 4, 5}, 4, numbers{0, 1, 1, 0}), 2 * 2 * 3 * 5);
}

TEST(hypervolume, counts_cells_as_a_grid_does) {
  rng chance{6, "volumes", 0};
  constexpr std::uint64_t steps = 6;
  for (int round = 0; round < 40; ++round) {
    auto m = static_cast<std::uint32_t>(2 + chance.below(3));
    auto points = random_points(1 + chance.below(9), m, chance, steps);
    double cells = 0;
    auto count = static_cast<std::uint64_t>(std::pow(steps, m));
    for (std::uint64_t cell = 0; cell < count; ++cell) {
      auto dominated = false;
      for (std::size_t i = 0; i < points.size() && !dominated; i += m) {
        dominated = true;
        auto rest = cell;
        for (std::size_t k = 0; k < m; ++k, rest /= steps)
          dominated = dominated && static_cast<double>(rest % steps) + 1 <= points[i + k];
      }
      cells += dominated;
    }
    ASSERT_EQ(hypervolume(points, m, numbers(m, 0)), cells) << "round " << round;
  }
}

TEST(hypervolume, of_a_quarter_of_a_disc_nears_its_area) {
  numbers arc;
  for (int i = 0; i <= 2000; ++i) {
    arc.push_back(std::sin(i * M_PI / 4000));
    arc.push_back(std::cos(i * M_PI / 4000));
  }
  EXPECT_NEAR(hypervolume(arc, 2, numbers{0, 0}), M_PI / 4, 1e-3);
}

} // namespace
} // namespace tune
