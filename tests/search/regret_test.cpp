/// The end of a search that has little left to gain.
// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/search/gp/regret.hpp"

#include "support/asking.hpp"

#include "tune/core/search/gp/kernel_book.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace {

using namespace tune;
using namespace tune::support;
using testing::HasSubstr;

using lines = std::vector<parameter_text>;

const lines plane{{"x", "uniform(-2, 2)"}, {"y", "uniform(-2, 2)"}};

double number(const object& config, const char* name) {
  return *config.find(name)->number();
}

/// A bowl whose minimum is 3, at (.7, -.4).
double bowl(const object& config) {
  return 3 + std::pow(number(config, "x") - 0.7, 2) + 0.5 * std::pow(number(config, "y") + 0.4, 2);
}

struct campaign {
  std::size_t trials = 0;
  double best = 1e9;
  std::string end;
};

campaign run(const std::string& searcher, const std::map<std::string, std::string>& options,
             std::size_t most, double (*loss)(const object&), std::uint64_t seed = 3) {
  searcher_context about{space_of(plane), seed, 0, 1, {}};
  asking uut{std::move(*make_searcher(searcher, about, options))};
  campaign result;
  while (result.trials < most) {
    auto answer = uut.next(1);
    if (const auto* end = std::get_if<exhausted>(&answer)) {
      result.end = end->why;
      break;
    }
    auto config = std::get<0>(answer).front().config;
    auto y = loss(*config);
    result.best = std::min(result.best, y);
    uut.tell({trial_id{result.trials++}, config, 1, 1, {-y}, {}, outcome::completed});
  }
  return result;
}

TEST(confidence_width, has_the_values_of_the_formula) {
  EXPECT_NEAR(gp::confidence_width(2, 10), 1.7998, 1e-4);
  EXPECT_NEAR(gp::confidence_width(1, 1), 1.0583, 1e-4);
  EXPECT_GT(gp::confidence_width(3, 10), gp::confidence_width(2, 10));
}

/// The bound after `count` random results of the bowl.
std::optional<double> bound_after(std::size_t count, double (*loss)(const object&), double& best) {
  auto space = std::make_shared<const encoding>(std::move(*encoding::make(space_of(plane), "x")));
  learning::archive past{space};
  rng chance{7, "regret", 0};
  best = 1e9;
  for (std::size_t i = 0; i < count; ++i) {
    auto config
        = std::make_shared<const object>(space->decoded(space->canonical(space->random(chance))));
    auto y = loss(*config);
    best = std::min(best, y);
    past.apply({i + 1, observation{trial_id{i}, config, 1, 1, {-y}, {}, outcome::completed}});
  }
  gp::kernel_book book;
  return gp::regret_bound(learning::outlook{past, 5}, book);
}

TEST(regret_bound, is_above_the_regret_and_shrinks) {
  double best = 0;
  auto few = *bound_after(8, bowl, best);
  EXPECT_GT(few, best - 3);
  auto more = *bound_after(20, bowl, best);
  EXPECT_GT(more, best - 3);
  auto many = *bound_after(60, bowl, best);
  EXPECT_GT(many, best - 3);
  EXPECT_LT(more, few);
  EXPECT_LT(many, 0.2);
}

TEST(regret_bound, is_in_the_unit_of_the_metric) {
  double best = 0;
  auto small = *bound_after(20, bowl, best);
  auto large = *bound_after(
      20, [](const object& x) { return 1000 * bowl(x); }, best);
  EXPECT_NEAR(large / small, 1000, 1);
}

TEST(regret_bound, is_not_known_of_equal_results_or_of_one) {
  double best = 0;
  EXPECT_FALSE(bound_after(
      20, [](const object&) { return 4.0; }, best));
  EXPECT_FALSE(bound_after(1, bowl, best));
}

class ending_search : public testing::TestWithParam<std::string> {};

TEST_P(ending_search, ends_when_no_more_is_to_be_gained) {
  auto found = run(GetParam(), {{"regret_below", "0.05"}}, 80, bowl);

  EXPECT_LT(found.trials, 60u);
  EXPECT_GT(found.trials, 8u);
  EXPECT_LT(found.best, 3.05);
  EXPECT_THAT(found.end, HasSubstr("is to be gained"));
}

TEST_P(ending_search, goes_on_where_nothing_is_said_or_much_is_left) {
  EXPECT_EQ(run(GetParam(), {}, 20, bowl).trials, 20u);
  // Noise that varies with the place like chance can never be modelled well.
  auto rough = [](const object& x) {
    return std::fmod(std::abs(number(x, "x") * 7919 + number(x, "y") * 104729), 1.0);
  };
  EXPECT_EQ(run(GetParam(), {{"regret_below", "0.001"}}, 25, rough).trials, 25u);
}

INSTANTIATE_TEST_SUITE_P(all, ending_search, testing::Values("auto", "gp"),
                         [](const auto& x) { return x.param; });

TEST(regret_below, is_refused_where_it_is_negative) {
  searcher_context about{space_of(plane), 3, 0, 1, {}};
  EXPECT_THAT(make_searcher("auto", about, {{"regret_below", "-1"}}).error().detail,
              HasSubstr("regret_below"));
}

TEST(regret_below, is_refused_where_it_would_do_nothing) {
  searcher_context about{space_of(plane), 3, 0, 1, {}};
  EXPECT_THAT(
      make_searcher("auto", about, {{"regret_below", "1"}, {"partial", "true"}}).error().detail,
      HasSubstr("regret_below: "));
  about.objectives = 2;
  EXPECT_THAT(make_searcher("gp", about, {{"regret_below", "1"}}).error().detail,
              HasSubstr("1 objective, not 2"));
}

} // namespace
