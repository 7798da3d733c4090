// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/schedule/ranked.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace tune {
namespace {

TEST(ranked, is_empty_at_first) {
  ranked<double> uut;

  EXPECT_TRUE(uut.empty());
  EXPECT_EQ(uut.below(1), 0u);
  EXPECT_FALSE(uut.erase(1));
}

TEST(ranked, keeps_equal_values_apart) {
  ranked<double> uut{{1, 2, 2, 3}};

  EXPECT_EQ(uut.below(2), 1u);
  EXPECT_EQ(uut.below(2.5), 3u);
  EXPECT_TRUE(uut.erase(2));
  EXPECT_EQ(uut.size(), 3u);
  EXPECT_EQ(uut.at(1), 2);
  EXPECT_EQ(uut.at(2), 3);
}

TEST(ranked, agrees_with_a_sorted_list) {
  for (unsigned seed = 1; seed <= 5; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937 random{seed};
    std::vector<int> plain;
    ranked<int> uut;
    for (int i = 0; i < 6000; ++i) {
      auto x = static_cast<int>(random() % 2000);
      auto place = std::lower_bound(plain.begin(), plain.end(), x);
      ASSERT_EQ(uut.below(x), static_cast<std::size_t>(place - plain.begin()));
      if (random() % 4 > 0 && i < 4500) {
        plain.insert(place, x);
        uut.insert(x);
      } else {
        auto there = place != plain.end() && *place == x;
        ASSERT_EQ(uut.erase(x), there);
        if (there)
          plain.erase(place);
      }
      ASSERT_EQ(uut.size(), plain.size());
      if (!plain.empty()) {
        auto rank = random() % plain.size();
        ASSERT_EQ(uut.at(rank), plain[rank]);
      }
    }
  }
}

} // namespace
} // namespace tune
