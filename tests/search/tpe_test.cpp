// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/search/tpe/tpe.hpp"

#include "tune/core/search/tpe/parzen.hpp"

#include "support/asking.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

namespace {

using namespace tune;
using namespace tune::support;
using learning::ending;
using learning::result;

encoding encoding_of(const std::vector<parameter_text>& lines) {
  auto made = encoding::make(space_of(lines), "uut");
  EXPECT_TRUE(made) << made.error().detail;
  return std::move(*made);
}

std::vector<const cube_point*> pointers(const std::vector<cube_point>& xs) {
  std::vector<const cube_point*> result;
  for (const auto& x : xs)
    result.push_back(&x);
  return result;
}

// Values by scipy.stats.truncnorm: pdf for the float, differences of the cdf for the integer; for
// the category the masses of the documentation. The bandwidths .4 .4 .1 and .2 .4 .4 are by hand.
TEST(parzen, has_the_density_that_scipy_says) {
  auto space
      = encoding_of({{"u", "uniform(0, 1)"}, {"n", "randint(0, 5)"}, {"c", "choice(p, q, r)"}});
  std::vector<cube_point> points{{0.2, 0.3, 0}, {0.6, 0.9, 2}, {0.7, 0.5, 2}};
  tpe::parzen uut{space, pointers(points), {2, 1, 0.5}};

  EXPECT_NEAR(uut.log_density({0.25, 0.3, 0}), -1.554982226255554, 1e-9);
  EXPECT_NEAR(uut.log_density({0.9, 0.1, 1}), -3.827203183064209, 1e-9);
  EXPECT_NEAR(uut.log_density({0.65, 0.7, 2}), -1.957652309177419, 1e-9);
}

TEST(parzen, sums_to_one_over_all_that_there_is) {
  auto space = encoding_of(
      {{"n", "randint(0, 7)"}, {"c", "choice(p, q, r)"}, {"m", "qrandint(0, 12, 3) if c == q"}});
  std::vector<cube_point> points{space.canonical({0.1, 0, 0}), space.canonical({0.8, 1, 0.9}),
                                 space.canonical({0.7, 1, 0.3}), space.canonical({0.7, 2, 0})};
  tpe::parzen uut{space, pointers(points), {1, 3, 1, 1}};

  double sum = 0;
  std::set<std::uint64_t> seen;
  while (auto next = space.first_free([&](auto key) { return seen.contains(key); })) {
    seen.insert(space.key(*next));
    sum += std::exp(uut.log_density(*next));
  }

  EXPECT_EQ(seen.size(), 7u * (2 + 5));
  EXPECT_NEAR(sum, 1, 1e-9);
}

TEST(parzen, draws_as_its_density_says) {
  auto space = encoding_of({{"n", "randint(0, 4)"}, {"c", "choice(p, q)"}});
  std::vector<cube_point> points{{0.125, 0}, {0.375, 0}, {0.375, 1}};
  // Draws from the prior are uniform, while its density is a wide normal one, so its weight must be
  // small here.
  tpe::parzen uut{space, pointers(points), {200, 400, 100}};
  rng from{9, "draws", 0};
  std::map<std::uint64_t, double> counts;
  constexpr int draws = 20000;
  for (int i = 0; i < draws; ++i)
    counts[space.key(space.canonical(uut.draw(from)))] += 1.0 / draws;

  for (double n = 0; n < 4; ++n) {
    for (double c = 0; c < 2; ++c) {
      cube_point x{(n + 0.5) / 4, c};
      EXPECT_NEAR(counts[space.key(x)], std::exp(uut.log_density(x)), 0.012) << n << ' ' << c;
    }
  }
}

std::vector<result> some_results(std::size_t count) {
  std::vector<result> all;
  for (std::size_t i = 0; i < count; ++i)
    all.push_back({{0.5}, ending::finished, static_cast<double>(i * 37 % count), {}});
  return all;
}

TEST(tpe_split, takes_the_best_of_those_that_finished) {
  auto all = some_results(40);
  all[13].how = ending::failed;
  all[13].value = inactive;
  all[0].how = ending::stopped; // it had the least value
  std::vector<cube_point> pending{{0.1}, {0.2}};

  auto uut = tpe::split_results(all, pending);

  // There are ⌈.15 · 42⌉ good ones.
  ASSERT_EQ(uut.good.size(), 7u);
  EXPECT_EQ(uut.bad.size(), 35u);
  EXPECT_EQ(std::count(uut.good.begin(), uut.good.end(), &all[0].at), 0);
  EXPECT_EQ(uut.bad.back(), &pending.back());
  EXPECT_EQ(uut.bad.front(), &all[0].at);
  // Values are 1 … 7 against 8, divided by their mean.
  EXPECT_DOUBLE_EQ(uut.good_weights[0], 7.0 / 4);
  EXPECT_DOUBLE_EQ(uut.good_weights[6], 1.0 / 4);
  EXPECT_DOUBLE_EQ(uut.bad_weights[0], 1.0 / 35);
  EXPECT_DOUBLE_EQ(uut.bad_weights[10], 1);
}

TEST(tpe_split, never_takes_more_than_25_good_and_1000_bad_ones) {
  auto all = some_results(10001);

  auto uut = tpe::split_results(all, {});

  EXPECT_EQ(uut.good.size(), 25u);
  EXPECT_EQ(uut.bad.size(), 1000u);
  EXPECT_TRUE(std::is_sorted(uut.bad.begin(), uut.bad.end()));
  EXPECT_TRUE(std::is_sorted(uut.bad_weights.begin(), uut.bad_weights.end()));
}

TEST(tpe_split, ranks_what_keeps_the_constraints_first) {
  std::vector<result> all;
  for (int i = 0; i < 10; ++i)
    all.push_back({{0.5}, ending::finished, static_cast<double>(i), {i < 8 ? 1.0 + i : 0.0}});

  auto uut = tpe::split_results(all, {});

  EXPECT_EQ(uut.good, (std::vector<const cube_point*>{&all[8].at, &all[9].at}));
}

TEST(tpe_search, follows_a_valley_better_when_it_draws_together) {
  // Both parameters must change together.
  auto run = [](const char* multivariate, std::uint64_t seed) {
    auto made = make_searcher(
        "tpe", {space_of({{"u", "uniform(0, 1)"}, {"v", "uniform(0, 1)"}}), seed, 0, 1, {}},
        {{"multivariate", multivariate}});
    EXPECT_TRUE(made) << made.error().detail;
    asking uut{std::move(*made)};
    auto best = 1.0;
    for (std::uint64_t i = 0; i < 80; ++i) {
      auto answer = uut.next(1);
      auto config = std::get<0>(answer).front().config;
      auto u = *config->find("u")->number();
      auto v = *config->find("v")->number();
      auto loss = 50 * std::pow(u - v, 2) + std::pow(u + v - 1.6, 2);
      best = std::min(best, loss);
      uut.tell({trial_id{i}, config, 1, 1, {-loss}, {}, outcome::completed});
    }
    return best;
  };
  double together = 0;
  double apart = 0;
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    together += run("true", seed) / 12;
    apart += run("false", seed) / 12;
  }

  EXPECT_LT(together, 0.02);
  EXPECT_LT(together, apart);
  EXPECT_LT(apart, 0.2);
}

TEST(tpe_search, checks_its_options) {
  searcher_context about{space_of({{"u", "uniform(0, 1)"}}), 1, 10, 1, {}};
  auto refused = [&](const char* key, const char* text) {
    auto made = make_searcher("tpe", about, {{key, text}});
    return made ? std::string{"taken"} : made.error().detail;
  };

  EXPECT_THAT(refused("candidates", "0"), testing::HasSubstr("candidates"));
  EXPECT_THAT(refused("candidates", "0"), testing::HasSubstr("1 to 10000"));
  EXPECT_THAT(refused("startup", "-1"), testing::HasSubstr("0 to 10000"));
  EXPECT_THAT(refused("multivariat", "true"), testing::HasSubstr("multivariate"));
}

} // namespace
