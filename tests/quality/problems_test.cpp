// SPDX-License-Identifier: BSD-3-Clause
#include "quality/problems.hpp"

#include "tune/core/search/encoding/encoding.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <ostream>
#include <set>

namespace tune::quality {

/// Used by GoogleTest in messages.
void PrintTo(const problem& what, std::ostream* to) {
  *to << what.name;
}

} // namespace tune::quality

namespace {

using namespace tune;
using namespace tune::quality;

struct problem_test : testing::TestWithParam<problem> {
  const problem& uut = GetParam();

  template <class Function>
  void draw(std::size_t count, Function f) const {
    auto space = encoding::make(uut.space, "test");
    rng from{stable_hash(uut.name), "draws", 0};
    for (std::size_t i = 0; i < count; ++i)
      f(space->decoded(space->canonical(space->random(from))));
  }
};

TEST_P(problem_test, has_its_optimum_where_it_says) {
  auto why = uut.space->reject(uut.best, false);
  EXPECT_FALSE(why) << why->detail;
  EXPECT_NEAR(uut.f(uut.best), uut.optimum, 1e-9 * std::max(1.0, std::abs(uut.optimum)));
}

TEST_P(problem_test, is_nowhere_below_its_optimum) {
  auto least = uut.optimum - 1e-9 * std::max(1.0, std::abs(uut.optimum));
  draw(2000, [&](const object& config) {
    auto y = uut.f(config);
    EXPECT_TRUE(std::isnan(y) || y >= least) << y << " at " << to_text(value{config});
  });
}

TEST_P(problem_test, is_not_below_its_optimum_beside_its_best) {
  auto space = encoding::make(uut.space, "test");
  auto best = space->encoded(uut.best);
  ASSERT_TRUE(best);
  rng from{stable_hash(uut.name), "steps", 0};
  for (int i = 0; i < 2000; ++i) {
    auto at = space->filled(*best, from);
    space->mutate(at, std::pow(10, -5 * from.unit()), 1 + from.below(2), from);
    auto y = uut.f(space->decoded(space->canonical(at)));
    ASSERT_TRUE(std::isnan(y) || y >= uut.optimum - 1e-9 * std::max(1.0, std::abs(uut.optimum)))
        << y << " at " << to_text(value{space->decoded(space->canonical(at))});
  }
}

TEST_P(problem_test, is_neither_flat_nor_solved_by_ten_draws) {
  std::set<double> seen;
  draw(200, [&](const object& config) {
    if (auto y = uut.f(config); !std::isnan(y))
      seen.insert(y);
  });
  EXPECT_GE(seen.size(), 10u);
  auto by = scale_of(uut);
  EXPECT_GT(by.ten_draws, by.optimum);
  EXPECT_TRUE(std::isfinite(by.ten_draws));
  EXPECT_EQ(by.regret(by.optimum), 0);
  EXPECT_EQ(by.regret(by.ten_draws), 1);
  EXPECT_EQ(by.regret(std::numeric_limits<double>::quiet_NaN()), 10);
}

INSTANTIATE_TEST_SUITE_P(all, problem_test, testing::ValuesIn(all_problems()),
                         [](const auto& x) { return x.param.name; });

TEST(problems, are_of_all_kinds_and_each_has_its_own_name) {
  std::set<std::string> names;
  int trees = 0;
  int noisy = 0;
  for (const auto& x : all_problems()) {
    names.insert(x.name);
    trees += x.conditional;
    noisy += x.noise > 0;
    auto space = encoding::make(x.space, "test");
    EXPECT_EQ(space->is_conditional(), x.conditional) << x.name;
  }
  EXPECT_EQ(names.size(), all_problems().size());
  EXPECT_GE(names.size(), 32u);
  EXPECT_GE(trees, 7);
  EXPECT_GE(noisy, 3);
}

TEST(problems, read_tables_at_the_nearest_recorded_value) {
  for (const auto& x : all_problems()) {
    if (x.name != "logistic_wine")
      continue;
    // As in tables/logistic_wine.csv: C in thirds of a decade; for l1, .5 comes after .25.
    object near{{"C", 1.05}, {"l1", 0.45}, {"steps", 60}, {"weights", "none"}};
    object at{{"C", 1.0}, {"l1", 0.5}, {"steps", 64}, {"weights", "none"}};
    EXPECT_EQ(x.f(near), x.f(at));
    object other{{"C", 1.0}, {"l1", 0.3}, {"steps", 64}, {"weights", "none"}};
    EXPECT_NE(x.f(other), x.f(at));
  }
}

} // namespace
