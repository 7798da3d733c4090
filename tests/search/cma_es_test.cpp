/// What is CMA-ES's own: see learners_test.cpp for what all that learn must do.
// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/search/cma_es/cma_es.hpp"

#include "support/asking.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <functional>
#include <numeric>
#include <set>

namespace {

using namespace tune;
using namespace tune::support;
using cma_es::constants;
using cma_es::distribution;
using learning::ending;
using learning::result;
using testing::DoubleNear;
using testing::HasSubstr;
using testing::Pointwise;

constexpr double missing = std::numeric_limits<double>::quiet_NaN();

// Known values are those of the Python package cmaes 0.13.1: attributes of CMA(mean, sigma,
// population_size) for constants, and after three calls of tell(); for margins those of CMAwM after
// a tell() that moves nothing but by the margin.

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

/// Some number between .2 and .8.
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
  // None of them is further away than √n + 2n / (n + 2) deviations.
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
  // Twenty standard errors at least.
  EXPECT_NEAR(sums[0] / draws, 1, 0.05);
  EXPECT_NEAR(sums[1] / draws, -2, 0.03);
  EXPECT_NEAR(sums[2] / draws, 0.25 * 4, 0.05);
  EXPECT_NEAR(sums[3] / draws, 0.25 * 1, 0.02);
  EXPECT_NEAR(sums[4] / draws, 0.25 * 1.2, 0.03);
  EXPECT_NEAR(uut.deviation(0), 1, 1e-15);
}

TEST(cma_es_margin, agrees_with_another_implementation) {
  // Values 0 to 9 with borders at halves, margin 1/12: mean and σ before, mean and stretch after.
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
    // Of two values, the mean in the middle between them.
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

using lines = std::vector<parameter_text>;
using objective = std::function<double(const object&)>;
using options_written = std::map<std::string, std::string>;

asking make(const lines& space, std::uint64_t seed = 1, const options_written& how = {},
            std::vector<object> points = {}) {
  searcher_context about;
  about.space = space_of(space);
  about.seed = seed;
  about.samples = 0;
  about.points = std::move(points);
  auto made = make_searcher("cma_es", about, how);
  EXPECT_TRUE(made) << made.error().detail;
  return asking{std::move(*made)};
}

lines floats(int count) {
  lines made;
  for (int i = 0; i < count; ++i)
    made.push_back({"x" + std::to_string(i), "uniform(-3, 5)"});
  return made;
}

double number(const object& config, const std::string& name) {
  return *config.find(name)->number();
}

std::vector<double> numbers(const object& config) {
  std::vector<double> made;
  for (const auto& [name, x] : config)
    made.push_back(*x.number());
  return made;
}

/// Runs so many trials, `workers` at once, each of which ends after some others.
/// @returns the least loss.
double least_of(asking& uut, const objective& loss, int count, int workers = 1,
                std::vector<std::string>* origins = nullptr) {
  struct running {
    std::uint64_t trial;
    config_ptr config;
  };
  std::vector<running> all;
  rng chance{5, "workers", 0};
  auto best = std::numeric_limits<double>::infinity();
  for (int i = 0; i < count; ++i) {
    while (all.size() < static_cast<std::size_t>(workers)) {
      auto trial = uut.trials();
      auto answer = uut.next(1);
      const auto* list = std::get_if<std::vector<suggestion>>(&answer);
      if (list == nullptr)
        break;
      all.push_back({trial, list->front().config});
      if (origins != nullptr)
        origins->push_back(list->front().origin);
    }
    if (all.empty())
      break;
    auto k = static_cast<std::size_t>(chance.below(all.size()));
    auto y = loss(*all[k].config);
    best = std::min(best, y);
    uut.tell({trial_id{all[k].trial}, all[k].config, 1, 1, {-y}, {}, outcome::completed});
    all.erase(all.begin() + static_cast<std::ptrdiff_t>(k));
  }
  return best;
}

double sphere(const object& config) {
  double sum = 0;
  for (auto x : numbers(config))
    sum += (x - 1.3) * (x - 1.3);
  return sum;
}

double ellipsoid(const object& config) {
  auto all = numbers(config);
  double sum = 0;
  for (std::size_t i = 0; i < all.size(); ++i)
    sum += std::pow(1e4, static_cast<double>(i) / static_cast<double>(all.size() - 1))
           * (all[i] + 0.7) * (all[i] + 0.7);
  return sum;
}

double rotated_rosenbrock(const object& config) {
  auto x = numbers(config);
  auto a = 0.6 * x[0] - 0.8 * x[1];
  auto b = 0.8 * x[0] + 0.6 * x[1];
  std::vector<double> z{a, b, x[2]};
  double sum = 0;
  for (std::size_t i = 0; i + 1 < z.size(); ++i)
    sum += 100 * std::pow(z[i + 1] - z[i] * z[i], 2) + std::pow(1 - z[i], 2);
  return sum;
}

TEST(cma_es_search, finds_the_middle_of_a_sphere) {
  auto uut = make(floats(5));
  EXPECT_LT(least_of(uut, sphere, 700), 1e-6);
}

TEST(cma_es_search, learns_the_lengths_of_an_ellipsoids_axes) {
  auto uut = make(floats(5));
  EXPECT_LT(least_of(uut, ellipsoid, 1500), 1e-4);
}

TEST(cma_es_search, follows_a_bent_valley_that_is_turned) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    auto uut = make(floats(3), seed);
    EXPECT_LT(least_of(uut, rotated_rosenbrock, 1500), 1e-4) << seed;
  }
}

TEST(cma_es_search, learns_from_trials_that_end_in_any_order) {
  for (int workers : {4, 32}) {
    auto uut = make(floats(5));
    EXPECT_LT(least_of(uut, sphere, 1200, workers), 1e-3) << workers;
  }
}

TEST(cma_es_search, finds_a_best_in_a_corner) {
  // The least of 500 random draws is about 3.7.
  auto loss = [](const object& x) {
    auto all = numbers(x);
    return std::accumulate(all.begin(), all.end(), 12.0);
  };
  double sum = 0;
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    auto uut = make(floats(4), seed);
    sum += least_of(uut, loss, 500) / 5;
  }
  EXPECT_LT(sum, 0.6);
}

TEST(cma_es_search, does_not_get_stuck_between_whole_numbers) {
  // The floats are found early; σ is small by then, and whole numbers have to go on nevertheless.
  lines space{{"u", "uniform(0, 1)"},
              {"v", "loguniform(1e-4, 1)"},
              {"n", "randint(0, 41)"},
              {"m", "lograndint(1, 1025)"},
              {"k", "choice(8, 16, 32, 64, 128)"}};
  auto loss = [](const object& x) {
    return 100 * std::pow(number(x, "u") - 0.5, 2)
           + 10 * std::pow(std::log10(number(x, "v")) + 2, 2)
           + 0.001 * std::pow(number(x, "n") - 37, 2)
           + 0.01 * std::abs(std::log2(number(x, "m")) - 9)
           + 0.01 * std::abs(std::log2(number(x, "k")) - 3);
  };
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    auto uut = make(space, seed);
    EXPECT_LT(least_of(uut, loss, 600), 0.003) << seed;
  }
}

TEST(cma_es_search, learns_which_categories_are_better) {
  lines space{{"c", "choice(p, q, r, s, t)"}, {"d", "choice(x, y)"}, {"u", "uniform(0, 1)"}};
  auto loss = [](const object& x) {
    return (*x.find("c")->as_string() == "s" ? 0 : 1) + (*x.find("d")->as_string() == "y" ? 0 : 1)
           + std::pow(number(x, "u") - 0.3, 2);
  };
  auto uut = make(space);
  (void)least_of(uut, loss, 120);
  int both = 0;
  for (int i = 0; i < 40; ++i) {
    auto answer = uut.next(1);
    both += loss(*std::get<0>(answer).front().config) < 1;
  }
  // By chance it were 4.
  EXPECT_GT(both, 24);
}

TEST(cma_es_search, begins_elsewhere_when_nothing_is_left_to_gain) {
  // How many draws of the last 300 are far from the best, which is found long before.
  auto far = [](const options_written& how) {
    auto uut = make(floats(2), 1, how);
    (void)least_of(uut, sphere, 600);
    int count = 0;
    for (std::uint64_t trial = 600; trial < 900; ++trial) {
      auto answer = uut.next(1);
      const auto& x = std::get<0>(answer).front();
      count += x.origin == "cma_es" && sphere(*x.config) > 0.5;
      uut.tell({trial_id{trial}, x.config, 1, 1, {-sphere(*x.config)}, {}, outcome::completed});
    }
    return count;
  };
  EXPECT_GT(far({}), 15);
  EXPECT_EQ(far({{"restarts", "none"}}), 0);
}

TEST(cma_es_search, ends_a_run_whose_best_stays_the_same) {
  // Everything is equally good: a run ends as soon as its patience does.
  encoding space = *encoding::make(space_of(floats(2)), "test");
  for (std::size_t population : {6u, 12u}) {
    cma_es::strategy uut{space, {population, {0.5, 0.5}, 0.2, {}}};
    rng from{1, "test", 0};
    std::size_t count = 0;
    for (; !uut.is_over() && count < 1000; ++count)
      uut.take(uut.draw(from), finished(4));
    // 10 + ⌈30 n / λ⌉ generations.
    EXPECT_EQ(count, population * (10 + 60 / population));
    EXPECT_FALSE(uut.is_lost());
  }
}

TEST(cma_es_search, moves_away_where_everything_fails) {
  // All within .3 of the middle fails, much more than σ.
  lines space{{"u", "uniform(0, 1)"}, {"v", "uniform(0, 1)"}};
  auto loss = [](const object& x) {
    return std::hypot(number(x, "u") - 0.5, number(x, "v") - 0.5) < 0.3 ? missing : 0.0;
  };
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    auto uut = make(space, seed, {{"sigma", "0.02"}});
    EXPECT_EQ(least_of(uut, loss, 50), 0) << seed;
  }
}

TEST(cma_es_search, takes_the_users_points_for_members_of_its_first_generation) {
  std::vector<object> points;
  for (int i = 0; i < 5; ++i)
    points.push_back({{"x0", 4.5}, {"x1", 4.0 + 0.1 * i}, {"x2", 4.5}});
  auto loss = [](const object& x) {
    double sum = 0;
    for (auto y : numbers(x))
      sum += std::abs(y - 5);
    return sum;
  };
  // It begins at 1, and σ is 1.6.
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    auto uut = make(floats(3), seed, {}, points);
    (void)least_of(uut, loss, 7);
    double sum = 0;
    for (int i = 0; i < 50; ++i) {
      auto answer = uut.next(1);
      for (auto x : numbers(*std::get<0>(answer).front().config))
        sum += x / 150;
    }
    EXPECT_GT(sum, 1.8) << seed;
  }
}

TEST(cma_es_search, begins_where_results_of_others_are_good) {
  auto uut = make(floats(4));
  searcher_context about{space_of(floats(4)), 9, 200, 1, {}};
  asking random{std::move(*make_searcher("random", about))};
  std::uint64_t trial = 5000;
  for (const auto& x : collect(random, 200, 50))
    uut.tell({trial_id{trial++}, x.config, 1, 1, {-sphere(*x.config)}, {}, outcome::completed});

  double sum = 0;
  for (int i = 0; i < 30; ++i) {
    auto answer = uut.next(1);
    EXPECT_EQ(std::get<0>(answer).front().origin, "cma_es");
    sum += sphere(*std::get<0>(answer).front().config) / 30;
  }
  // By chance 22: four times 64 / 12 + .09.
  EXPECT_LT(sum, 10);
}

TEST(cma_es_search, tries_all_of_a_space_of_whole_numbers_rather_than_one_twice) {
  auto uut = make({{"n", "randint(0, 8)"}, {"k", "randint(0, 8)"}});
  std::vector<std::string> origins;
  std::set<std::string> seen;
  auto loss = [&](const object& x) {
    seen.insert(to_text(value{x}));
    return std::abs(number(x, "n") - 6) + std::abs(number(x, "k") - 1);
  };
  EXPECT_EQ(least_of(uut, loss, 100, 1, &origins), 0);
  EXPECT_EQ(origins.size(), 64u);
  EXPECT_EQ(seen.size(), 64u);
  EXPECT_EQ(origins.front(), "middle");
  EXPECT_THAT(origins, testing::Contains("cma_es"));
  EXPECT_TRUE(std::holds_alternative<exhausted>(uut.next(1)));
}

TEST(cma_es_search, leaves_no_trace_of_lost_trials) {
  auto uut = make(floats(3));
  auto other = make(floats(3));
  for (std::uint64_t i = 0; i < 40; ++i) {
    auto answer = uut.next(1);
    auto same = other.next(1);
    auto config = std::get<0>(answer).front().config;
    auto how = i % 3 == 1 ? outcome::lost : outcome::completed;
    uut.tell({trial_id{i}, config, 1, 1, {-sphere(*config)}, {}, how});
    // A value that came before the loss is no result.
    other.tell(
        {trial_id{i}, config, 1, 1, {how == outcome::lost ? 1e9 : -sphere(*config)}, {}, how});
  }
  EXPECT_EQ(texts(std::get<0>(uut.next(5))), texts(std::get<0>(other.next(5))));
}

TEST(cma_es_search, never_takes_a_stopped_trial_for_one_that_finished) {
  // The scheduler stops whatever is at u > .5, with values that look best.
  auto uut = make({{"u", "uniform(0, 1)"}, {"v", "uniform(0, 1)"}});
  int beyond = 0;
  for (std::uint64_t i = 0; i < 100; ++i) {
    auto answer = uut.next(1);
    auto x = std::get<0>(answer).front();
    auto u = number(*x.config, "u");
    auto stopped = u > 0.5;
    beyond += i >= 60 && stopped;
    uut.tell({trial_id{i},
              x.config,
              1,
              1,
              {stopped ? 100 : -std::abs(u - 0.2)},
              {},
              stopped ? outcome::stopped : outcome::completed});
  }
  EXPECT_LT(beyond, 5);
}

TEST(cma_es_search, refuses_populations_that_are_too_small) {
  searcher_context about{space_of(floats(2)), 1, 10, 1, {}};
  EXPECT_THAT(make_searcher("cma_es", about, {{"population", "3"}}).error().detail,
              HasSubstr("0 or 4 to 10000"));
  EXPECT_THAT(make_searcher("cma_es", about, {{"sigma", "0"}}).error().detail, HasSubstr("sigma"));
  EXPECT_TRUE(make_searcher("cma_es", about, {{"population", "4"}}));
}

TEST(cma_es_search, does_not_become_slower_with_ten_thousand_results) {
  auto uut = make(floats(10));
  using clock = std::chrono::steady_clock;
  auto began = clock::now();
  EXPECT_LT(least_of(uut, sphere, 10000), 1e-4);
  // .1 ms each is what it takes optimised and alone; this is neither.
  EXPECT_LT(clock::now() - began, std::chrono::seconds{30});
}

} // namespace
