// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/rng.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <vector>

namespace {

using namespace tune;
using words = std::array<std::uint32_t, 4>;

TEST(philox, gives_the_published_answers) {
  EXPECT_EQ(philox({0, 0, 0, 0}, {0, 0}), (words{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  EXPECT_EQ(philox({~0u, ~0u, ~0u, ~0u}, {~0u, ~0u}),
            (words{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(philox({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}),
            (words{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST(stable_hash, is_fnv_1a) {
  EXPECT_EQ(stable_hash(""), 0xcbf29ce484222325ull);
  EXPECT_EQ(stable_hash("a"), 0xaf63dc4c8601ec8cull);
  EXPECT_EQ(stable_hash("foobar"), 0x85944171f73967e8ull);
}

TEST(rng, repeats_itself_for_equal_names) {
  rng a{7, "space", 3};
  rng b{7, "space", 3};

  for (int i = 0; i < 100; ++i)
    EXPECT_EQ(a.bits(), b.bits());
}

TEST(rng, differs_by_seed_stream_number_and_draw) {
  std::set<std::uint64_t> seen;
  for (std::uint64_t seed : {0, 1, 2}) {
    for (auto stream : {"space", "scheduler", ""}) {
      for (std::uint64_t number : {0, 1, 2}) {
        rng uut{seed, stream, number};
        for (int draw = 0; draw < 10; ++draw)
          seen.insert(uut.bits());
      }
    }
  }

  EXPECT_EQ(seen.size(), 270u);
}

TEST(rng, draws_units_evenly_from_zero_to_below_one) {
  rng uut{1, "unit", 0};
  std::vector<int> counts(10);
  for (int i = 0; i < 10000; ++i) {
    auto x = uut.unit();
    ASSERT_GE(x, 0);
    ASSERT_LT(x, 1);
    ++counts[static_cast<std::size_t>(x * 10)];
  }

  // Within six standard deviations of a binomial count.
  EXPECT_THAT(counts, testing::Each(testing::AllOf(testing::Gt(820), testing::Lt(1180))));
}

TEST(rng, draws_below_a_number_without_bias) {
  rng uut{1, "below", 0};
  std::vector<int> counts(7);
  for (int i = 0; i < 7000; ++i)
    ++counts[uut.below(7)];
  EXPECT_THAT(counts, testing::Each(testing::AllOf(testing::Gt(820), testing::Lt(1180))));

  EXPECT_EQ(uut.below(1), 0u);
  // For three quarters of 2^64, a plain remainder would make the lower third twice as likely.
  auto many = 0xC000000000000000ull;
  int low = 0;
  for (int i = 0; i < 3000; ++i) {
    auto x = uut.below(many);
    ASSERT_LT(x, many);
    low += x < many / 3;
  }
  EXPECT_NEAR(low, 1000, 160);
}

TEST(rng, draws_normals_of_mean_zero_and_variance_one) {
  rng uut{1, "normal", 0};
  double sum = 0;
  double squares = 0;
  constexpr int n = 20000;
  for (int i = 0; i < n; ++i) {
    auto x = uut.normal();
    sum += x;
    squares += x * x;
  }

  EXPECT_NEAR(sum / n, 0, 0.04);
  EXPECT_NEAR(squares / n, 1, 0.06);
}

TEST(normal_quantile, inverts_the_distribution_function) {
  for (auto p : {1e-300, 1e-100, 1e-20, 1e-10, 1e-5, 0.01, 0.07, 0.075, 0.3, 0.5, 0.77, 0.99}) {
    auto x = normal_quantile(p);
    auto back = 0.5 * std::erfc(-x / std::sqrt(2.0));
    // In the tail an error of x is magnified by about |x|.
    EXPECT_NEAR(back / p, 1, 1e-14 * (1 + x * x)) << p;
  }
  EXPECT_EQ(normal_quantile(0.25), -normal_quantile(0.75));
  EXPECT_NEAR(normal_quantile(0.975), 1.959963984540054, 1e-15);
}

} // namespace
