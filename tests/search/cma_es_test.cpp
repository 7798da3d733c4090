/// Properties of CMA-ES alone: see learners_test.cpp for what all learning searchers must do.
// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/search/cma_es/cma_es.hpp"

#include "support/asking.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <set>

namespace {

using namespace tune;
using namespace tune::support;
using testing::HasSubstr;

constexpr double missing = std::numeric_limits<double>::quiet_NaN();

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

/// Runs `count` trials, `workers` at once, so that each ends after some others have been asked for.
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
  // The floats are found early, so σ is small by then, and the whole numbers must still move.
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
  // Random draws would give 4.
  EXPECT_GT(both, 24);
}

TEST(cma_es_search, begins_elsewhere_when_nothing_is_left_to_gain) {
  // Counts the draws among the last 300 that are far from the best, which is found long before.
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
  // All points are equally good: a run ends when its patience does.
  encoding space = *encoding::make(space_of(floats(2)), "test");
  for (std::size_t population : {6u, 12u}) {
    cma_es::strategy uut{space, {population, {0.5, 0.5}, 0.2, {}}};
    rng from{1, "test", 0};
    std::size_t count = 0;
    for (; !uut.is_over() && count < 1000; ++count)
      uut.take(uut.draw(from), {{}, learning::ending::finished, 4, {}});
    // The patience is 10 + ⌈30 n / λ⌉ generations.
    EXPECT_EQ(count, population * (10 + 60 / population));
    EXPECT_FALSE(uut.is_lost());
  }
}

TEST(cma_es_search, moves_away_where_everything_fails) {
  // Everything within .3 of the middle fails, a distance much larger than σ.
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
  // The search begins at 1, and σ is 1.6.
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
  // Random draws would give 22: four times 64 / 12 + .09.
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
    // A value reported before the trial was lost is no result.
    other.tell(
        {trial_id{i}, config, 1, 1, {how == outcome::lost ? 1e9 : -sphere(*config)}, {}, how});
  }
  EXPECT_EQ(texts(std::get<0>(uut.next(5))), texts(std::get<0>(other.next(5))));
}

TEST(cma_es_search, never_takes_a_stopped_trial_for_one_that_finished) {
  // The scheduler stops all trials at u > .5, and their values look best.
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
  // Optimised and alone it takes .1 ms per trial; this build and machine are neither.
  EXPECT_LT(clock::now() - began, std::chrono::seconds{30});
}

} // namespace
