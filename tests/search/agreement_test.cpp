/// How much earlier experiments are trusted.
// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/search/transfer/agreement.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace {

using namespace tune;
using testing::ElementsAre;

// Values by scipy.optimize.nnls: the columns without their means, with √2 times the identity below
// them.
TEST(slopes, are_the_least_squares_that_scipy_says) {
  std::vector<double> t{1.2, -0.4, 0.3, -1.1, 0.9, -0.9};
  std::vector<double> p{0.8, -0.2, 0.5, -0.9, 0.4, -0.6};
  std::vector<double> q{-1.0, 0.6, -0.2, 0.9, -0.5, 0.7};
  std::vector<double> r{0.3, 0.9, -0.8, -0.1, 0.5, -1.2};
  auto close = [](double x) { return testing::DoubleNear(x, 1e-7); };

  EXPECT_THAT(transfer::slopes({p}, t), ElementsAre(close(0.72300469)));
  EXPECT_THAT(transfer::slopes({q}, t), ElementsAre(0));
  EXPECT_THAT(transfer::slopes({p, q, r}, t), ElementsAre(close(0.69481324), 0, close(0.17924715)));
  EXPECT_THAT(transfer::slopes({}, t), ElementsAre());
}

// Values by scipy.stats.kendalltau.
TEST(rank_correlation, is_the_one_that_scipy_says) {
  std::vector<double> t{1.2, -0.4, 0.3, -1.1, 0.9, -0.9};

  EXPECT_NEAR(transfer::rank_correlation(t, std::vector{0.8, -0.2, 0.5, -0.9, 0.4, -0.6}),
              0.8666666666666666, 1e-12);
  EXPECT_NEAR(transfer::rank_correlation(t, std::vector{-1.0, 0.6, -0.2, 0.9, -0.5, 0.7}), -1,
              1e-12);
  EXPECT_NEAR(transfer::rank_correlation(t, std::vector{0.3, 0.9, -0.8, -0.1, 0.5, -1.2}), 0.2,
              1e-12);
  EXPECT_EQ(transfer::rank_correlation(std::vector{1.0}, std::vector{2.0}), 0);
}

TEST(trust, is_half_at_first_and_follows_the_results) {
  EXPECT_DOUBLE_EQ(transfer::trust(0, 0), 0.5);
  EXPECT_NEAR(transfer::trust(0.8, 6), (6 * 0.8 + 2) / 10, 1e-12);
  EXPECT_EQ(transfer::trust(-1, 2), 0);
  EXPECT_EQ(transfer::trust(0, 20), 0);
}

} // namespace
