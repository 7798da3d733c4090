// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/search/gp/improvement.hpp"
#include "tune/core/search/gp/targets.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace {

using namespace tune;
using learning::ending;
using learning::result;

constexpr double missing = std::numeric_limits<double>::quiet_NaN();
constexpr double infinite = std::numeric_limits<double>::infinity();

// Values by mpmath 1.3 with 60 digits: log(npdf(z) + z ncdf(z)); beyond -2000 by ten or more terms
// of the asymptotic series φ(z)/z² (1 - 3/z² + 15/z⁴ - …) with 400 digits.
TEST(log_improvement, agrees_with_sixty_digits_far_into_the_tail) {
  const double known[][2]
      = {{3, 1.0987396653277078},       {0, -0.91893853320467274},    {-0.5, -1.6205162643873199},
         {-1, -2.4851210257126413},     {-1.5, -3.5299359208057099},  {-5, -16.74430116266099},
         {-10, -55.553122036122356},    {-27, -372.01470790984535},   {-30, -457.724653760598},
         {-100, -5010.1295788002498},   {-1000, -500014.73445209116}, {-9000, -40500019.128898283},
         {-20000, -200000020.72591365}, {-1e6, -500000000028.54996}};
  for (const auto& [z, expected] : known)
    EXPECT_NEAR(gp::log_improvement(z), expected, 1e-12 * std::abs(expected) + 1e-13) << z;
}

TEST(log_improvement, rises_everywhere) {
  for (double z = -40; z < 8; z += 0.01)
    EXPECT_LT(gp::log_improvement(z), gp::log_improvement(z + 0.01)) << z;
}

// Values by mpmath 1.3 with 40 digits.
TEST(scaled_erfc, agrees_with_forty_digits_on_both_sides_of_the_series) {
  const double known[][2] = {{0, 1},
                             {0.5, 0.61569034419292587},
                             {5, 0.11070463773306863},
                             {19.9, 0.028315573983185767},
                             {20.1, 0.028034523526966877},
                             {100, 0.0056416137829894329}};
  for (const auto& [x, expected] : known)
    EXPECT_NEAR(gp::scaled_erfc(x) / expected, 1, 1e-12) << x;
}

const std::vector<double> skewed{-2.5, -0.3, 0, 0.4, 1.1, 3.7};

// Values by scipy 1.x: stats.yeojohnson(skewed, lmbda).
TEST(yeo_johnson, agrees_with_scipy) {
  const std::pair<double, std::vector<double>> known[]
      = {{-1.5,
          {-22.63193720827611, -0.42999011684080174, 0, 0.26421225965308737, 0.4475982351294114,
           0.6012389214163911}},
         {0, {-5.625, -0.345, 0, 0.33647223662121295, 0.7419373447293773, 1.547562508716013}},
         {0.5,
          {-3.698600284569599, -0.32148536841925296, 0, 0.3664319132398464, 0.8982753492378878,
           2.33589667773576}},
         {2, {-1.252762968495368, -0.26236426446749106, 0, 0.48, 1.705, 10.545}},
         {2.75,
          {-0.8122733714790932, -0.2381641309000607, 0, 0.5536805565735187, 2.4338653851467957,
           25.277449647667137}}};
  for (const auto& [lambda, expected] : known) {
    for (std::size_t i = 0; i < skewed.size(); ++i)
      EXPECT_NEAR(gp::yeo_johnson(skewed[i], lambda), expected[i], 1e-12 * 25) << lambda;
  }
}

// Values by scipy 1.x: stats.yeojohnson_llf(lmbda, skewed); its maximum is at 0.8887.
TEST(yeo_johnson, is_as_likely_as_scipy_says) {
  EXPECT_NEAR(gp::yeo_johnson_likelihood(skewed, -1.5), -15.622249313122694, 1e-9);
  EXPECT_NEAR(gp::yeo_johnson_likelihood(skewed, 0), -6.220952695336127, 1e-9);
  EXPECT_NEAR(gp::yeo_johnson_likelihood(skewed, 1), -3.6772028883223467, 1e-9);
  EXPECT_NEAR(gp::yeo_johnson_likelihood(skewed, 2.75), -11.456374235526388, 1e-9);
  EXPECT_NEAR(gp::fitted_lambda(skewed), 0.8886838298928408, 0.03);
}

result finished(double x, std::vector<double> missed = {}) {
  return {{}, ending::finished, x, std::move(missed)};
}
result failed() {
  return {{}, ending::failed, missing, {}};
}

TEST(targets, are_standardised_and_failed_ones_as_bad_as_the_worst) {
  std::vector<result> of{finished(1), failed(), finished(3), finished(5)};

  auto plain = gp::targets(of, false);

  auto unit = std::sqrt(1.5);
  EXPECT_THAT(plain, testing::Pointwise(testing::DoubleNear(1e-12), {-unit, unit, 0.0, unit}));
}

TEST(targets, keep_their_order_when_bent) {
  std::vector<result> of{finished(1000), finished(1), finished(2), finished(1.5), finished(40)};

  auto bent = gp::targets(of, true);

  EXPECT_LT(bent[1], bent[3]);
  EXPECT_LT(bent[3], bent[2]);
  EXPECT_LT(bent[2], bent[4]);
  EXPECT_LT(bent[4], bent[0]);
  // The outlier weighs less than without the transform.
  EXPECT_LT(bent[0], gp::targets(of, false)[0] - 0.02);
}

TEST(targets, of_equal_objectives_are_all_zero) {
  std::vector<result> of{finished(4), finished(4), failed()};
  EXPECT_EQ(gp::targets(of, true), (std::vector<double>{0, 0, 0}));
  EXPECT_EQ(gp::targets({}, true), std::vector<double>{});
}

TEST(targets, of_the_largest_floats_are_finite) {
  std::vector<result> of{finished(1.7e308), finished(-1.7e308), finished(0)};
  for (auto power : {false, true}) {
    for (auto x : gp::targets(of, power))
      EXPECT_TRUE(std::isfinite(x));
  }
}

TEST(targets, put_what_misses_constraints_beyond_all_that_keeps_them) {
  std::vector<result> of{finished(9, {0}), finished(1, {2}),        finished(0, {6}),
                         finished(5, {0}), finished(3, {infinite}), failed()};

  auto uut = gp::targets(of, false);

  // The mean violation is 4: 2 and 6 count ⅓ and ⅗, and an unknown one counts 1.
  EXPECT_NEAR(uut[1] - uut[0], 1.0 / 3, 1e-12);
  EXPECT_NEAR(uut[2] - uut[0], 0.6, 1e-12);
  EXPECT_NEAR(uut[4] - uut[0], 1, 1e-12);
  EXPECT_LT(uut[3], uut[0]);
  EXPECT_EQ(uut[5], uut[4]);
}

TEST(targets, tell_violations_apart_where_nothing_keeps_the_constraints) {
  std::vector<result> of{finished(9, {3}), finished(1, {5}), finished(2, {4})};

  auto uut = gp::targets(of, true);

  EXPECT_LT(uut[0], uut[2]);
  EXPECT_LT(uut[2], uut[1]);
}

} // namespace
