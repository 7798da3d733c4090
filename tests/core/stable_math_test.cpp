// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/stable_math.hpp"

#include "tune/core/rng.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace {

using namespace tune;

constexpr double infinity = std::numeric_limits<double>::infinity();

/// Distance in units of the last place of `exact`.
double ulps(double x, long double exact) {
  auto rounded = static_cast<double>(exact);
  auto unit = std::nextafter(std::abs(rounded), infinity) - std::abs(rounded);
  return static_cast<double>(std::abs(static_cast<long double>(x) - exact)) / unit;
}

TEST(stable_log, is_within_one_unit_in_the_last_place) {
  rng from{1, "log", 0};
  for (int i = 0; i < 20000; ++i) {
    auto x = std::ldexp(0.5 + from.unit(), static_cast<int>(from.below(2000)) - 1000);
    EXPECT_LE(ulps(stable_log(x), std::log(static_cast<long double>(x))), 1.0) << x;
    auto near_one = 1 + (from.unit() - 0.5) * 0x1p-20;
    EXPECT_LE(ulps(stable_log(near_one), std::log(static_cast<long double>(near_one))), 1.0);
  }
}

TEST(stable_log, knows_the_edges) {
  EXPECT_EQ(stable_log(1), 0);
  EXPECT_EQ(stable_log(0), -infinity);
  EXPECT_EQ(stable_log(infinity), infinity);
  EXPECT_TRUE(std::isnan(stable_log(-1)));
  EXPECT_TRUE(std::isnan(stable_log(std::nan(""))));
  EXPECT_NEAR(stable_log(5e-324), -744.4400719213812, 1e-12);
}

TEST(stable_exp, is_within_one_unit_in_the_last_place) {
  rng from{1, "exp", 0};
  for (int i = 0; i < 20000; ++i) {
    auto x = (from.unit() - 0.5) * 1400;
    EXPECT_LE(ulps(stable_exp(x), std::exp(static_cast<long double>(x))), 1.0) << x;
    auto small = from.unit() - 0.5;
    EXPECT_LE(ulps(stable_exp(small), std::exp(static_cast<long double>(small))), 1.0) << small;
  }
}

TEST(stable_exp, knows_the_edges) {
  EXPECT_EQ(stable_exp(0), 1);
  EXPECT_EQ(stable_exp(-infinity), 0);
  EXPECT_EQ(stable_exp(-800), 0);
  EXPECT_EQ(stable_exp(infinity), infinity);
  EXPECT_EQ(stable_exp(710), infinity);
  EXPECT_TRUE(std::isnan(stable_exp(std::nan(""))));
  EXPECT_GT(stable_exp(709.7), 1e308);
}

} // namespace
