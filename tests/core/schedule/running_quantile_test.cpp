// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/schedule/running_quantile.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

namespace tune {
namespace {

constexpr double unbounded = std::numeric_limits<double>::infinity();

/// The definition, implemented by sorting.
std::optional<double> by_sorting(std::vector<double> xs, double q) {
  std::erase_if(xs, [](double x) { return std::isnan(x); });
  if (xs.empty())
    return std::nullopt;
  std::sort(xs.begin(), xs.end());
  auto p = static_cast<double>(xs.size() - 1) * q;
  auto i = static_cast<std::size_t>(p);
  auto f = p - static_cast<double>(i);
  auto a = xs[i];
  auto b = i + 1 < xs.size() ? xs[i + 1] : a;
  if (f == 0 || std::isinf(a) || std::isinf(b))
    return a;
  return f < 0.5 ? a + (b - a) * f : b - (b - a) * (1 - f);
}

TEST(running_quantile, has_no_value_at_first) {
  running_quantile uut{0.5};

  EXPECT_EQ(uut.value(), std::nullopt);
  uut.insert(std::nan(""));
  EXPECT_EQ(uut.value(), std::nullopt);
  EXPECT_EQ(uut.count(), 0u);
}

TEST(running_quantile, interpolates_between_neighbours) {
  running_quantile uut{0.75};
  for (auto x : {4.0, 1.0, 3.0, 2.0})
    uut.insert(x);

  // The position is 2.25, between the values 3 and 4.
  EXPECT_EQ(uut.value(), 3.25);
}

TEST(running_quantile, takes_the_lower_neighbour_beside_an_infinity) {
  running_quantile uut{0.5};
  uut.insert(1);
  uut.insert(unbounded);
  EXPECT_EQ(uut.value(), 1.0);

  uut.insert(unbounded);
  uut.insert(unbounded);
  EXPECT_EQ(uut.value(), unbounded);
}

class any_numbers : public testing::TestWithParam<unsigned> {};

TEST_P(any_numbers, agree_with_sorting_at_every_step) {
  SCOPED_TRACE("seed " + std::to_string(GetParam()));
  std::mt19937 random{GetParam()};
  std::uniform_real_distribution<double> unit;
  auto eta = 1.1 + 8 * unit(random);
  auto q = GetParam() % 3 == 0 ? 1 - 1 / std::floor(eta + 1) : (1 - 1 / eta) * 100 / 100;
  running_quantile uut{q};
  std::vector<double> all;

  for (int i = 0; i < 400; ++i) {
    auto kind = unit(random);
    auto x = kind < 0.05   ? std::nan("")
             : kind < 0.10 ? unbounded
             : kind < 0.15 ? -unbounded
             : kind < 0.50 ? std::floor(10 * unit(random))
                           : std::exp(20 * unit(random) - 10);
    all.push_back(x);
    uut.insert(x);
    ASSERT_EQ(uut.value(), by_sorting(all, q)) << "q = " << q << ", after " << i + 1;
  }
}

INSTANTIATE_TEST_SUITE_P(running_quantile, any_numbers, testing::Range(1u, 31u));

TEST(running_quantile, describes_equal_contents_alike_whatever_their_order) {
  running_quantile x{0.75};
  running_quantile y{0.75};
  for (auto number : {1.0, 2.0, 3.0, 4.0, 5.0})
    x.insert(number);
  for (auto number : {5.0, 3.0, 1.0, 2.0, 4.0})
    y.insert(number);
  fingerprint of_x, of_y, of_more;

  x.describe(of_x);
  y.describe(of_y);
  y.insert(6);
  y.describe(of_more);

  EXPECT_EQ(of_x.digest(), of_y.digest());
  EXPECT_NE(of_x.digest(), of_more.digest());
}

} // namespace
} // namespace tune
