/// Searchers that learn from several objectives.
// SPDX-License-Identifier: BSD-3-Clause
#include "support/asking.hpp"

#include "tune/core/pareto/hypervolume.hpp"
#include "tune/core/search/learner/ranking.hpp"
#include "tune/core/search/learner/scalar.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <set>

namespace {

using namespace tune;
using namespace tune::support;
using learning::ending;
using learning::result;
using testing::DoubleNear;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

using lines = std::vector<parameter_text>;

result finished(double value, std::vector<double> others, std::vector<double> missed = {}) {
  return {{}, ending::finished, value, std::move(missed), std::move(others)};
}

result failed() {
  return {{}, ending::failed, nan};
}

TEST(ranking_of_several, goes_by_fronts_and_within_them_by_room) {
  // The losses are minimised. First front: (0,9), (1,4), (2,3), (5,0); second: (3,8); third: (6,9).
  std::vector<result> all{finished(6, {9}), finished(2, {3}), failed(),        finished(5, {0}),
                          finished(1, {4}), finished(0, {9}), finished(3, {8})};

  // In order: the least in the first objective, the farthest from it, then the farthest from both.
  EXPECT_THAT(learning::ranking(all), ElementsAre(5u, 3u, 1u, 4u, 6u, 0u));
  EXPECT_THAT(learning::ranking(all, 2), ElementsAre(5u, 3u));
}

TEST(ranking_of_several, puts_those_that_miss_a_constraint_last) {
  std::vector<result> all{finished(0, {0}, {3}), finished(5, {5}, {0}), finished(1, {1}, {1}),
                          finished(9, {9}, {0})};

  EXPECT_THAT(learning::ranking(all), ElementsAre(1u, 3u, 2u, 0u));
}

TEST(weights_of_objectives, are_even_on_the_simplex) {
  double mean = 0;
  double below = 0;
  constexpr int draws = 4000;
  for (int i = 0; i < draws; ++i) {
    rng chance{1, "weights", static_cast<std::uint64_t>(i)};
    auto drawn = learning::drawn_weights(3, chance);
    ASSERT_EQ(drawn.size(), 3u);
    ASSERT_NEAR(drawn[0] + drawn[1] + drawn[2], 1, 1e-12);
    mean += drawn[1] / draws;
    // The share of the simplex in which a given weight is below 1/4 is 1 - (3/4)^2.
    below += (drawn[0] < 0.25) / static_cast<double>(draws);
  }
  EXPECT_NEAR(mean, 1 / 3.0, 0.02);
  EXPECT_NEAR(below, 7 / 16.0, 0.03);
}

TEST(objectives_as_one, are_the_worst_loss_and_a_little_of_all) {
  // The front is (0, 10) and (4, 0), so 4 and 10 are one unit each.
  std::vector<result> all{finished(0, {10}), finished(4, {0}), finished(8, {20}), failed()};
  std::vector<double> weights{0.25, 0.75};

  auto made = learning::as_one(all, weights);

  EXPECT_THAT(made[0].value, DoubleNear(0.75 + 0.05 * 0.75, 1e-12));
  EXPECT_THAT(made[1].value, DoubleNear(0.25 + 0.05 * 0.25, 1e-12));
  EXPECT_THAT(made[2].value, DoubleNear(1.5 + 0.05 * 2, 1e-12));
  EXPECT_TRUE(made[0].others.empty());
  EXPECT_TRUE(std::isnan(made[3].value));
}

TEST(objectives_as_one, have_scales_without_those_that_miss_constraints) {
  std::vector<result> all{finished(0, {1}, {0}), finished(1, {0}, {0}),
                          finished(-1000, {-1000}, {1})};

  auto made = learning::as_one(all, std::vector<double>{0.5, 0.5});

  EXPECT_THAT(made[0].value, DoubleNear(0.525, 1e-12));
}

TEST(objectives_as_one, are_finite_for_the_largest_floats_and_for_one_point) {
  std::vector<result> huge{finished(1.7e308, {-1.7e308}), finished(-1.7e308, {1.7e308})};
  for (const auto& x : learning::as_one(huge, std::vector<double>{0.5, 0.5}))
    EXPECT_THAT(x.value, DoubleNear(0.525, 1e-12));
  auto one = learning::as_one({finished(3, {3})}, std::vector<double>{0.5, 0.5});
  EXPECT_EQ(one[0].value, 0);
}

class several_test : public testing::TestWithParam<std::string> {
protected:
  const lines space_{{"kind", "choice(a, b)"},
                     {"x", "uniform(0, 1)"},
                     {"far", "uniform(0, 1)"},
                     {"n", "randint(0, 9) if kind == a"}};
  /// Scores; the front is kind a, far = 0.7, n = 4, and any x.
  static std::vector<double> scores(const object& config) {
    auto at = [&](const char* name) { return *config.find(name)->number(); };
    auto lost = std::pow(at("far") - 0.7, 2) * 4;
    lost += config.find("n") != nullptr ? std::pow(at("n") - 4, 2) / 30 : 0.4;
    return {-std::pow(at("x"), 2) - lost, -std::pow(at("x") - 1, 2) - lost};
  }

  static searcher_context about(const lines& space, std::uint64_t seed) {
    searcher_context result;
    result.space = space_of(space);
    result.seed = seed;
    result.samples = 0;
    result.objectives = 2;
    return result;
  }

  asking make(std::uint64_t seed = 3) {
    auto made = make_searcher(GetParam(), about(space_, seed));
    EXPECT_TRUE(made) << made.error().detail;
    return asking{std::move(*made)};
  }

  static void end(asking& uut, std::uint64_t trial, const suggestion& x, std::vector<double> values,
                  outcome how = outcome::completed) {
    uut.tell({trial_id{trial}, x.config, 1, 1, std::move(values), {}, how});
  }

  /// Runs trials one after the other. @returns the scores of all.
  static std::vector<double> run(asking& uut, std::size_t count) {
    std::vector<double> all;
    for (std::size_t i = 0; i < count; ++i) {
      auto trial = uut.trials();
      auto answer = uut.next(1);
      const auto& x = std::get<0>(answer).front();
      auto y = scores(*x.config);
      all.insert(all.end(), y.begin(), y.end());
      end(uut, trial, x, std::move(y));
    }
    return all;
  }
};

TEST_P(several_test, covers_the_front_better_than_chance) {
  const std::vector<double> reference{-1, -1};
  // Populations need some generations.
  auto is_slow = GetParam() == "nsga2" || GetParam() == "evolution";
  std::size_t count = is_slow ? 400 : 60;
  double ours = 0;
  double chance = 0;
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    auto uut = make(seed);
    ours += hypervolume(run(uut, count), 2, reference);
    asking random{std::move(*make_searcher("random", about(space_, seed)))};
    chance += hypervolume(run(random, count), 2, reference);
  }
  // A perfect front covers 5/6 of the square.
  EXPECT_GT(ours, 1.02 * chance);
  EXPECT_LT(ours, 4 * 5 / 6.0);
}

TEST_P(several_test, suggests_after_a_replay_what_it_would_have_suggested) {
  auto uut = make();
  for (int i = 0; i < 50; ++i) {
    run(uut, 1);
    if (i % 7 != 0)
      continue;
    auto again = make();
    for (const auto& fact : uut.facts())
      again.uut().apply(fact);
    ask next{uut.asks() + 1, 1, uut.seq()};
    ASSERT_EQ(texts(std::get<0>(uut.uut().propose(next))),
              texts(std::get<0>(again.uut().propose(next))))
        << "after " << i + 1;
  }
}

TEST_P(several_test, copes_with_all_kinds_of_ends) {
  auto uut = make();
  const std::vector<std::vector<double>> odd{
      {1, nan}, {nan, nan},      {std::numeric_limits<double>::infinity(), 1},
      {},       {1e308, -1e308}, {0, 0}};
  std::set<std::string> seen;
  for (std::uint64_t i = 0; i < 70; ++i) {
    auto answer = uut.next(1);
    const auto& x = std::get<0>(answer).front();
    EXPECT_FALSE(space_of(space_)->reject(*x.config, false));
    seen.insert(texts({x}).front());
    end(uut, i, x, odd[i % odd.size()], static_cast<outcome>(1 + i % 5));
  }
  EXPECT_GE(seen.size(), 50u);
}

TEST_P(several_test, keeps_constraints) {
  auto uut = make();
  int kept = 0;
  for (std::uint64_t i = 0; i < 80; ++i) {
    auto answer = uut.next(1);
    const auto& x = std::get<0>(answer).front();
    auto at = *x.config->find("x")->number();
    uut.tell({trial_id{i}, x.config, 1, 1, scores(*x.config), {at - 0.3}, outcome::completed});
    kept += i >= 40 && at <= 0.3;
  }
  // Random draws would give 12.
  EXPECT_GT(kept, 20);
}

TEST_P(several_test, says_that_it_takes_any_number_of_objectives) {
  EXPECT_EQ(make().uut().traits().objectives, 0u);
}

INSTANTIATE_TEST_SUITE_P(all, several_test,
                         testing::Values("auto", "gp", "tpe", "nsga2", "evolution"),
                         [](const auto& x) { return x.param; });

TEST(several_objectives, are_not_learnt_from_before_the_end) {
  searcher_context about{space_of({{"x", "uniform(0, 1)"}}), 1, 10, 2, {}};
  EXPECT_THAT(make_searcher("auto", about, {{"partial", "true"}}).error().detail,
              HasSubstr("partial: "));
}

} // namespace
