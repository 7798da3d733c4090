// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/search/cma_es/strategy.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace {

using namespace tune;
using cma_es::constants;
using cma_es::distribution;
using learning::ending;
using learning::result;
using testing::DoubleNear;
using testing::Pointwise;

constexpr double missing = std::numeric_limits<double>::quiet_NaN();

// Known values are by the Python package cmaes 0.13.1: attributes of CMA(mean, sigma,
// population_size) for constants, also after three calls of tell(); for margins those of CMAwM
// after a tell() that changes nothing but the margin.

struct known_constants {
  std::size_t n;
  std::size_t population;
  double mu_eff, c_sigma, d_sigma, c_c, c_1, c_mu, chi, first, last, sum;
};

TEST(cma_es_constants, agree_with_another_implementation) {
  const known_constants known[] = {
      {1, 4, 1.459789888852586, 0.46379186818956736, 1.4637918681895674, 0.6894039888609658,
       0.2963055195692892, 0.027690800889192044, 0.7976190476190477, 0.8041628599327295,
       -1.417877593820792, -0.9678938791493352},
      {2, 6, 2.0286114646100617, 0.44620498737831715, 1.4462049873783172, 0.6245545390268264,
       0.1548153998964136, 0.057859085071916304, 1.254272742818995, 0.6370425712412168,
       -1.1559817781589212, -1.207323654840602},
      {5, 8, 2.6001788261131793, 0.3650883760934854, 1.3650883760934853, 0.4501995579928079,
       0.047292304159400896, 0.03816916070385781, 2.1285237557247996, 0.5299301844787792,
       -0.9134980955117175, -1.2390187074409784},
      {10, 10, 3.1672992814107026, 0.2844285879463675, 1.2844285879463675, 0.29499038303562225,
       0.015283824524751714, 0.02015428276120838, 3.0847265651690123, 0.45627264690340597,
       -0.5862218287788353, -0.7583412769304296},
      {10, 40, 11.30948208893226, 0.5058815693879137, 1.5058815693879137, 0.3155196710809971,
       0.014388542820040108, 0.12102163166531006, 3.0847265651690123, 0.16712470149808076,
       -0.0630302342070007, 0.28559067200010496},
      {40, 15, 4.540915209075957, 0.1320305687020827, 1.1320305687020826, 0.09300921663424917,
       0.0011694327252618397, 0.0031225007109974066, 6.28521508039776, 0.34479619859202054,
       -0.3155046217960348, -0.37451800127478385},
  };
  for (const auto& x : known) {
    SCOPED_TRACE(std::to_string(x.n) + " dimensions, population " + std::to_string(x.population));
    auto uut = constants::of(x.n, x.population);
    EXPECT_EQ(uut.weights.size(), x.population);
    EXPECT_EQ(uut.parents, x.population / 2);
    EXPECT_NEAR(uut.mu_eff, x.mu_eff, 1e-12);
    EXPECT_NEAR(uut.c_sigma, x.c_sigma, 1e-13);
    EXPECT_NEAR(uut.d_sigma, x.d_sigma, 1e-13);
    EXPECT_NEAR(uut.c_c, x.c_c, 1e-13);
    EXPECT_NEAR(uut.c_1, x.c_1, 1e-13);
    EXPECT_NEAR(uut.c_mu, x.c_mu, 1e-13);
    EXPECT_NEAR(uut.chi, x.chi, 1e-13);
    EXPECT_NEAR(uut.weights.front(), x.first, 1e-13);
    EXPECT_NEAR(uut.weights.back(), x.last, 1e-12);
    EXPECT_NEAR(std::accumulate(uut.weights.begin(), uut.weights.end(), 0.0), x.sum, 1e-12);
  }
}

TEST(cma_es_constants, have_the_usual_population) {
  EXPECT_EQ(cma_es::usual_population(0), 4u);
  EXPECT_EQ(cma_es::usual_population(1), 4u);
  EXPECT_EQ(cma_es::usual_population(2), 6u);
  EXPECT_EQ(cma_es::usual_population(10), 10u);
  EXPECT_EQ(cma_es::usual_population(40), 15u);
}

/// A made-up number between .2 and .8.
double made_up(int generation, int rank, int dimension) {
  return 0.5 + 0.3 * std::sin(1 + 7 * generation + 3 * rank + 2 * dimension);
}

std::vector<cma_es::member> made_up_generation(int generation, bool own = true) {
  std::vector<cma_es::member> all(7);
  for (int k = 0; k < 7; ++k) {
    for (int i = 0; i < 3; ++i)
      all[static_cast<std::size_t>(k)].at.push_back(made_up(generation, k, i));
    all[static_cast<std::size_t>(k)].own = own;
  }
  return all;
}

cma_es::shares shares_of(const constants& how) {
  cma_es::shares made{how.weights, how.weights};
  for (auto k = how.parents; k < how.population; ++k)
    made.mean[k] = 0;
  return made;
}

TEST(cma_es_distribution, learns_from_three_generations_as_another_implementation_does) {
  struct state {
    std::vector<double> mean;
    double sigma;
    std::vector<double> covariance;
  };
  const state known[] = {
      {{0.6053118933147568, 0.5152738419544894, 0.38197578466267973},
       0.18168092700265645,
       {1.074315279567346, 0.038366730790889154, 0.005022739250456036, 0.038366730790889154,
        0.8333321290031357, 0.09941081799551563, 0.005022739250456036, 0.09941081799551563,
        0.9816994524952688}},
      {{0.6220951881199887, 0.43083245577527735, 0.43547252132171715},
       0.1592765933767873,
       {1.0398225643319368, -0.05841868404861285, 0.12011094065138016, -0.05841868404861285,
        0.8362980550706999, 0.14416468587340256, 0.1201109406513802, 0.14416468587340253,
        0.8472121310438465}},
      {{0.5787837818215019, 0.3804350230086933, 0.5207293920520263},
       0.15233726414118412,
       {0.892444088755741, -0.04296098142837988, 0.21293809548825304, -0.042960981428379855,
        0.917976462553102, 0.01601754954143539, 0.21293809548825304, 0.01601754954143536,
        0.8622835378040816}},
  };
  auto how = constants::of(3, 7);
  distribution uut{how, {0.5, 0.4, 0.3}, 0.2};
  for (int g = 0; g < 3; ++g) {
    SCOPED_TRACE(g);
    const auto& expected = known[g];
    uut.learn(how, made_up_generation(g), shares_of(how));
    EXPECT_THAT(uut.mean(), Pointwise(DoubleNear(1e-12), expected.mean));
    EXPECT_NEAR(uut.sigma(), expected.sigma, 1e-12);
    EXPECT_THAT(uut.covariance(), Pointwise(DoubleNear(1e-12), expected.covariance));
  }
}

TEST(cma_es_distribution, takes_steps_of_others_for_no_longer_than_draws) {
  auto how = constants::of(3, 7);
  auto all = made_up_generation(0, false);
  distribution near{how, {0.5, 0.4, 0.3}, 0.2};
  near.learn(how, all, shares_of(how));
  distribution own{how, {0.5, 0.4, 0.3}, 0.2};
  own.learn(how, made_up_generation(0), shares_of(how));
  // No point counts as further away than √n + 2n / (n + 2) deviations.
  EXPECT_EQ(near.mean(), own.mean());

  all[0].at = {900, 0.4, 0.3};
  distribution far{how, {0.5, 0.4, 0.3}, 0.2};
  far.learn(how, all, shares_of(how));
  all[0].at = {0.5 + 0.2 * (std::sqrt(3) + 6.0 / 5), 0.4, 0.3};
  distribution clipped{how, {0.5, 0.4, 0.3}, 0.2};
  clipped.learn(how, all, shares_of(how));
  EXPECT_THAT(far.mean(), Pointwise(DoubleNear(1e-12), clipped.mean()));
  EXPECT_NEAR(far.sigma(), clipped.sigma(), 1e-12);
}

TEST(cma_es_distribution, draws_with_its_covariance) {
  auto how = constants::of(2, 6);
  distribution uut{how, {1, -2}, 0.5, {4, 1.2, 1.2, 1}};
  rng from{1, "test", 0};
  double sums[5] = {};
  constexpr int draws = 40000;
  for (int i = 0; i < draws; ++i) {
    double z[] = {from.normal(), from.normal()};
    auto x = uut.at(z);
    sums[0] += x[0];
    sums[1] += x[1];
    sums[2] += (x[0] - 1) * (x[0] - 1);
    sums[3] += (x[1] + 2) * (x[1] + 2);
    sums[4] += (x[0] - 1) * (x[1] + 2);
  }
  // All tolerances are at least twenty standard errors.
  EXPECT_NEAR(sums[0] / draws, 1, 0.05);
  EXPECT_NEAR(sums[1] / draws, -2, 0.03);
  EXPECT_NEAR(sums[2] / draws, 0.25 * 4, 0.05);
  EXPECT_NEAR(sums[3] / draws, 0.25 * 1, 0.02);
  EXPECT_NEAR(sums[4] / draws, 0.25 * 1.2, 0.03);
  EXPECT_NEAR(uut.deviation(0), 1, 1e-15);
}

TEST(cma_es_margin, agrees_with_another_implementation) {
  // Values are 0 to 9 with borders at halves, and the margin is 1/12. Columns: mean and σ before,
  // mean and stretch after.
  const double known[][4] = {{3.2, 0.3, 3.1299727764779166, 1.2126537102851787},
                             {9.4, 0.05, 8.569149706355033, 1.0},
                             {5.9, 0.02, 6.0, 14.436977543675916},
                             {-0.7, 0.4, -0.053197650840255295, 1.0}};
  for (const auto& [mean, sigma, mean_after, stretch] : known) {
    auto how = constants::of(2, 6);
    distribution uut{how, {0.5, mean}, sigma};
    auto cell = std::clamp(std::ceil(mean - 0.5), 0.0, 9.0);
    uut.keep_margin(1, std::clamp(cell - 1, 0.0, 8.0) + 0.5, std::min(cell, 8.0) + 0.5, 1.0 / 12);
    EXPECT_NEAR(uut.mean()[1], mean_after, 1e-9) << mean;
    EXPECT_NEAR(uut.stretch(1), stretch, 1e-9) << mean;
    EXPECT_EQ(uut.mean()[0], 0.5);
    EXPECT_EQ(uut.stretch(0), 1);
  }
}

TEST(cma_es_margin, keeps_tails_whatever_the_deviation) {
  for (double sigma : {1e-9, 1e-3, 0.3, 40.0}) {
    for (double mean : {3.0, 3.2, 3.49999}) {
      distribution uut{constants::of(1, 4), {mean}, sigma};
      uut.keep_margin(0, 2.5, 3.5, 0.1);
      auto tail = [&](double z) { return 0.5 * std::erfc(z / std::sqrt(2)); };
      auto scale = uut.deviation(0);
      EXPECT_GE(tail((uut.mean()[0] - 2.5) / scale), 0.0499) << sigma << ' ' << mean;
      EXPECT_GE(tail((3.5 - uut.mean()[0]) / scale), 0.0499) << sigma << ' ' << mean;
    }
    // With two values the mean is in the middle between them.
    distribution two{constants::of(1, 4), {0.5}, sigma};
    two.keep_margin(0, 0.5, 0.5, 0.1);
    EXPECT_EQ(two.mean()[0], 0.5);
    EXPECT_EQ(two.stretch(0), 1);
  }
}

result finished(double value, std::vector<double> missed = {}) {
  return {{}, ending::finished, value, std::move(missed)};
}

TEST(cma_es_order, puts_stopped_behind_all_that_finished_and_failed_last) {
  result failed{{}, ending::failed, missing, {}};
  result stopped{{}, ending::stopped, missing, {}};
  std::vector<result> all{failed, finished(3), stopped, finished(1), finished(0, {2})};
  auto weights = std::vector<double>{0.6, 0.4, -0.1, -0.2, -0.3};

  auto found = cma_es::judge(all, 2, weights);

  EXPECT_THAT(found.best_first, testing::ElementsAre(3, 1, 4, 2, 0));
  EXPECT_EQ(found.by.shape, weights);
  EXPECT_THAT(found.by.mean, testing::ElementsAre(0.6, 0.4, 0, 0, 0));
}

TEST(cma_es_order, lets_equals_share_alike) {
  result failed{{}, ending::failed, missing, {}};
  std::vector<result> all{finished(2), failed, finished(1), finished(2), failed};

  auto found = cma_es::judge(all, 2, {0.6, 0.4, -0.1, -0.2, -0.4});

  EXPECT_THAT(found.best_first, testing::ElementsAre(2, 0, 3, 1, 4));
  EXPECT_THAT(found.by.mean, Pointwise(DoubleNear(1e-15), {0.6, 0.2, 0.2, 0.0, 0.0}));
  EXPECT_THAT(found.by.shape, Pointwise(DoubleNear(1e-15), {0.6, 0.15, 0.15, -0.3, -0.3}));
}

} // namespace
