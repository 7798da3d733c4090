/// The recorded curves, and experiments over them in virtual time.
// SPDX-License-Identifier: BSD-3-Clause
#include "quality/curves.hpp"

#include "quality/fidelity_methods.hpp"
#include "quality/fidelity_run.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>

namespace {

using namespace tune;
using namespace tune::quality;
using testing::AllOf;
using testing::Each;
using testing::Ge;
using testing::Le;
using testing::SizeIs;

struct curves_test : testing::TestWithParam<std::string> {
  curve_set uut = curve_set::read(GetParam(), between::blend);
  curve_set nearest = curve_set::read(GetParam(), between::nearest);
  encoding cube = std::move(*encoding::make(uut.space(), "test"));

  [[nodiscard]] std::vector<object> draws(std::size_t count) const {
    rng chance{3, GetParam(), 0};
    std::vector<object> result;
    while (result.size() < count)
      result.push_back(cube.decoded(cube.canonical(cube.random(chance))));
    return result;
  }
};

TEST_P(curves_test, have_a_positive_duration_and_finite_losses_at_all_levels) {
  for (const auto* by : {&uut, &nearest}) {
    for (const auto& config : draws(200)) {
      auto x = by->of(config);
      EXPECT_GT(x.seconds, 0);
      EXPECT_THAT(x.losses, SizeIs(curve_levels));
      EXPECT_THAT(x.losses, Each(AllOf(Ge(0), Le(20))));
    }
  }
}

TEST_P(curves_test, are_no_better_between_configurations_than_the_best_that_was_recorded) {
  for (const auto& config : draws(300)) {
    EXPECT_GE(uut.of(config).losses.back(), uut.best() - 1e-12);
    EXPECT_GE(nearest.of(config).losses.back(), uut.best());
  }
}

TEST_P(curves_test, are_continuous_where_they_are_blended) {
  rng chance{4, GetParam(), 0};
  for (int i = 0; i < 50; ++i) {
    auto from = cube.random(chance);
    auto to = from;
    for (std::size_t k = 0; k < to.size(); ++k) {
      if (!cube.at(k).is_discrete())
        to[k] = std::clamp(to[k] + 1e-7, 0.0, 1.0);
    }
    auto a = uut.of(cube.decoded(cube.canonical(from))).losses.back();
    auto b = uut.of(cube.decoded(cube.canonical(to))).losses.back();
    EXPECT_NEAR(a, b, 1e-3);
  }
}

TEST_P(curves_test, know_whether_a_run_was_good) {
  auto scale = scale_of(uut);

  EXPECT_GT(scale.training, 0);
  EXPECT_GT(scale.ten_draws, scale.best);
  EXPECT_EQ(scale.regret(scale.best), 0);
  EXPECT_EQ(scale.regret(scale.ten_draws), 1);
  EXPECT_EQ(scale.regret(1e9), 2);
  EXPECT_EQ(scale.regret(INFINITY), 2);
}

INSTANTIATE_TEST_SUITE_P(all, curves_test, testing::ValuesIn(curve_names()),
                         [](const auto& x) { return x.param; });

TEST(curves, are_those_of_the_file_at_configurations_that_were_recorded) {
  auto uut = curve_set::read("digits_mlp", between::blend);
  // The configuration of the first row.
  object config{{"lr", 0.726},
                {"momentum", 0.7833},
                {"hidden", std::int64_t{32}},
                {"layers", std::int64_t{1}},
                {"batch", std::int64_t{128}},
                {"weight_decay", 7.425e-5}};

  auto found = uut.of(config);

  EXPECT_EQ(found.losses[0], 0.4073);
}

struct methods : testing::TestWithParam<std::string> {
  curve_set curves = curve_set::read("network_diabetes", between::blend);
  curve_scale scale = scale_of(curves);

  [[nodiscard]] fidelity_result run(std::uint64_t seed, double trainings = 5) const {
    fidelity_setting how;
    how.seed = seed;
    how.trainings = trainings;
    return run_over(curves, scale, how, [&] { return rules_of(GetParam(), curves, seed); });
  }
};

TEST_P(methods, spend_the_budget_and_do_not_get_worse) {
  auto result = run(1);

  EXPECT_GE(result.trials, 5u);
  // Durations differ by configuration: some levels are much cheaper than others.
  EXPECT_GE(result.levels, curve_levels * 2);
  for (std::size_t i = 1; i < marks.size(); ++i)
    EXPECT_LE(result.regret[i], result.regret[i - 1]);
  EXPECT_LT(result.regret.back(), 2);
}

TEST_P(methods, come_to_the_same_for_equal_seeds) {
  auto once = run(2);
  auto twice = run(2);
  EXPECT_EQ(once.regret, twice.regret);
  EXPECT_EQ(once.levels, twice.levels);
  EXPECT_NE(once.levels * 1000 + once.trials, run(3).levels * 1000 + run(3).trials);
}

INSTANTIATE_TEST_SUITE_P(all, methods, testing::ValuesIn(method_names()), [](const auto& x) {
  auto name = x.param;
  std::replace(name.begin(), name.end(), '/', '_');
  return name;
});

} // namespace
