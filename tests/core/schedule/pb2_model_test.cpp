// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/schedule/pb2/box_climb.hpp"
#include "tune/core/schedule/pb2/gaussian_process.hpp"
#include "tune/core/schedule/pb2/history.hpp"
#include "tune/core/schedule/pb2/proposal.hpp"

#include "tune/core/rng.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>
#include <utility>

namespace tune::pb2 {
namespace {

using testing::DoubleNear;
using testing::ElementsAre;
using testing::Gt;
using testing::IsEmpty;
using testing::Lt;
using testing::SizeIs;

const double nan = std::nan("");
constexpr auto infinity = std::numeric_limits<double>::infinity();

// -- The climb.

TEST(box_climb, finds_the_top_of_a_narrow_ridge) {
  // Rosenbrock's function, negated.
  const slope hill = [](std::span<const double> x, std::span<double> gradient) {
    auto a = 1 - x[0];
    auto b = x[1] - x[0] * x[0];
    gradient[0] = 2 * a + 400 * x[0] * b;
    gradient[1] = -200 * b;
    return -a * a - 100 * b * b;
  };

  auto top = climb(hill, {{-2, -2}, {2, 2}}, {-1.2, 1});

  EXPECT_THAT(top.at, ElementsAre(DoubleNear(1, 1e-5), DoubleNear(1, 1e-5)));
  EXPECT_THAT(top.value, DoubleNear(0, 1e-9));
}

TEST(box_climb, stays_in_the_box) {
  auto inside = true;
  const slope hill = [&](std::span<const double> x, std::span<double> gradient) {
    for (auto each : x)
      inside = inside && each >= 0 && each <= 1;
    gradient[0] = 3;
    gradient[1] = -2 * (x[1] - 0.25);
    return 3 * x[0] - (x[1] - 0.25) * (x[1] - 0.25);
  };

  auto top = climb(hill, {{0, 0}, {1, 1}}, {7, 0.9});

  EXPECT_TRUE(inside);
  EXPECT_THAT(top.at, ElementsAre(1, DoubleNear(0.25, 1e-6)));
}

TEST(box_climb, stays_where_it_is_where_the_function_is_not_finite) {
  const slope hill = [](std::span<const double>, std::span<double> gradient) {
    gradient[0] = 1;
    return nan;
  };

  EXPECT_THAT(climb(hill, {{0}, {1}}, {0.5}).at, ElementsAre(0.5));
}

// -- The Gaussian process.

TEST(time_varying_kernel, falls_with_distance_and_with_time) {
  const kernel by{2, 0.5, 0.19, 0.1};
  const place x{0, {0, 0}};

  EXPECT_DOUBLE_EQ(covariance(by, x, x), 2);
  // ‖x - x'‖² = 0.3² + 0.4² = 0.25; 0.81^(1/2) = 0.9.
  EXPECT_DOUBLE_EQ(covariance(by, x, {0, {0.3, 0.4}}), 2 * std::exp(-0.5));
  EXPECT_DOUBLE_EQ(covariance(by, x, {1, {0, 0}}), 2 * 0.9);
  EXPECT_DOUBLE_EQ(covariance(by, {1, {0.3, 0.4}}, x), 2 * 0.9 * std::exp(-0.5));
}

TEST(gaussian_process, believes_after_one_measurement_what_the_formula_says) {
  const kernel by{2, 0.5, 0.19, 0.1};
  const gaussian_process uut{by, {{0, {0}}}, {3}};
  const place there{1, {0.5}};
  auto shared = covariance(by, there, {0, {0}});

  auto found = uut.at(there);

  EXPECT_NEAR(found.mean, shared / 2.1 * 3, 1e-6);
  EXPECT_NEAR(found.variance, 2 - shared * shared / 2.1, 1e-6);
  EXPECT_NEAR(uut.log_likelihood(), -9 / 2.1 / 2 - std::log(2 * std::numbers::pi * 2.1) / 2, 1e-6);
}

TEST(gaussian_process, believes_after_two_measurements_what_the_formula_says) {
  const kernel by{1, 0.3, 0.1, 0.2};
  const place one{0, {0.1}};
  const place two{0.5, {0.4}};
  const place there{1, {0.3}};
  const gaussian_process uut{by, {one, two}, {1, -1}};
  // K = [a b; b a], inverted by hand.
  auto a = 1.2;
  auto b = covariance(by, one, two);
  auto k = covariance(by, one, there);
  auto l = covariance(by, two, there);
  auto determinant = a * a - b * b;

  auto found = uut.at(there);

  EXPECT_NEAR(found.mean, ((a * k - b * l) - (a * l - b * k)) / determinant, 1e-6);
  EXPECT_NEAR(found.variance, 1 - (a * k * k - 2 * b * k * l + a * l * l) / determinant, 1e-6);
  EXPECT_NEAR(uut.log_likelihood(),
              -(2 * a + 2 * b) / determinant / 2 - std::log(determinant) / 2
                  - std::log(2 * std::numbers::pi),
              1e-6);
}

TEST(gaussian_process, goes_through_three_measurements_without_noise) {
  const std::vector<place> where{{0, {0}}, {0, {0.4}}, {0.5, {1}}};
  const gaussian_process uut{{1, 0.2, 0.1, 1e-6}, where, {1, -0.5, 0.25}};

  EXPECT_NEAR(uut.at(where[0]).mean, 1, 1e-4);
  EXPECT_NEAR(uut.at(where[1]).mean, -0.5, 1e-4);
  EXPECT_NEAR(uut.at(where[2]).mean, 0.25, 1e-4);
  EXPECT_NEAR(uut.at(where[2]).variance, 0, 1e-4);
  // Far from all samples nothing is known.
  EXPECT_NEAR(uut.at({0, {9}}).mean, 0, 1e-9);
  EXPECT_NEAR(uut.at({0, {9}}).variance, 1, 1e-9);
}

TEST(gaussian_process, knows_its_gradients) {
  const std::vector<place> where{{0, {0, 0.2}}, {0.3, {0.4, 0.9}}, {0.5, {1, 0.5}}};
  const gaussian_process uut{{1.5, 0.4, 0.2, 0.05}, where, {1, -0.5, 0.25}};
  const place there{0.8, {0.6, 0.3}};
  std::vector<double> mean(2);
  std::vector<double> variance(2);
  EXPECT_EQ(uut.at(there, mean, variance).mean, uut.at(there).mean);
  constexpr double step = 1e-6;

  for (std::size_t i = 0; i < 2; ++i) {
    auto above = there;
    auto below = there;
    above.at[i] += step;
    below.at[i] -= step;
    EXPECT_NEAR(mean[i], (uut.at(above).mean - uut.at(below).mean) / 2 / step, 1e-6);
    EXPECT_NEAR(variance[i], (uut.at(above).variance - uut.at(below).variance) / 2 / step, 1e-6);
  }
}

/// Samples a process of variance 1 as random waves, whose frequencies are normal with variance 2/ℓ,
/// and adds noise.
struct planted {
  std::vector<place> where;
  std::vector<double> values;

  planted(double length, double noise, std::size_t count, std::uint64_t seed) {
    rng draw{seed, "planted", 0};
    constexpr int waves = 400;
    std::vector<std::pair<double, double>> all;
    for (int i = 0; i < waves; ++i)
      all.emplace_back(draw.normal() * std::sqrt(2 / length), draw.unit() * 2 * std::numbers::pi);
    for (std::size_t i = 0; i < count; ++i) {
      where.push_back({draw.unit(), {draw.unit()}});
      auto sum = 0.0;
      for (auto [frequency, phase] : all)
        sum += std::cos(frequency * where.back().at[0] + phase);
      values.push_back(sum * std::sqrt(2.0 / waves) + noise * draw.normal());
    }
  }
};

TEST(fitted_kernel, finds_a_planted_length) {
  for (auto length : {0.01, 0.04, 0.16}) {
    const planted data{length, 0.1, 150, 3};

    auto found = fitted_kernel(data.where, data.values);

    EXPECT_THAT(found.length, testing::AllOf(Gt(length / 2), Lt(length * 2))) << length;
    EXPECT_NEAR(std::sqrt(found.noise), 0.1, 0.03) << length;
    // The function does not change with time.
    EXPECT_THAT(found.epsilon, Lt(0.1)) << length;
  }
}

TEST(fitted_kernel, takes_noise_for_noise) {
  rng draw{5, "noise", 0};
  std::vector<place> where;
  std::vector<double> values;
  for (int i = 0; i < 100; ++i) {
    where.push_back({draw.unit(), {draw.unit()}});
    values.push_back(draw.normal());
  }

  auto found = fitted_kernel(where, values);

  EXPECT_NEAR(found.noise, 1, 0.3);
  EXPECT_THAT(found.variance, Lt(0.3));
}

TEST(fitted_kernel, finds_that_things_change) {
  // The slope changes its sign half-way.
  std::vector<place> where;
  std::vector<double> values;
  for (int i = 0; i < 100; ++i) {
    auto time = i / 100.0;
    auto x = i % 10 / 10.0;
    where.push_back({time, {x}});
    values.push_back((time < 0.5 ? 1 : -1) * (2 * x - 1));
  }

  EXPECT_THAT(fitted_kernel(where, values).epsilon, Gt(0.4));
}

// -- The history.

TEST(pb2_history, makes_stretches_of_the_gains_per_time) {
  history uut;
  uut.reach({0}, {10, 1, {0.5}});
  uut.reach({0}, {14, 3, {0.5}});
  uut.reach({1}, {10, 7, {0.1}});
  uut.reach({0}, {16, 2, {0.5}});

  auto found = uut.stretches();

  ASSERT_THAT(found, SizeIs(2));
  EXPECT_EQ(found[0].time, 14);
  EXPECT_EQ(found[0].before, 1);
  EXPECT_EQ(found[0].gain, 0.5);
  EXPECT_THAT(found[0].at, ElementsAre(0.5));
  EXPECT_EQ(found[1].gain, -0.5);
  EXPECT_EQ(uut.last_of({0}), (std::pair<double, double>{16, 3}));
  EXPECT_FALSE(uut.last_of({1}));
}

TEST(pb2_history, makes_none_across_other_parameters_nor_without_time_or_score) {
  history uut;
  uut.reach({0}, {10, 1, {0.5}});
  uut.reach({0}, {20, 2, {0.6}});
  uut.reach({0}, {20, 3, {0.6}});
  uut.reach({0}, {30, nan, {0.6}});
  uut.reach({0}, {40, 4, {0.6}});
  uut.reach({0}, {nan, 5, {0.6}});
  uut.reach({0}, {infinity, 6, {0.6}});

  EXPECT_THAT(uut.stretches(), IsEmpty());
}

TEST(pb2_history, begins_the_stretch_of_one_that_took_over_where_its_donor_was) {
  history uut;
  uut.reach({1}, {10, 1, {0.1}});
  uut.take_over({1}, {12, 5, {0.7}});
  uut.reach({1}, {14, 9, {0.7}});

  auto found = uut.stretches();

  ASSERT_THAT(found, SizeIs(1));
  EXPECT_EQ(found[0].before, 5);
  EXPECT_EQ(found[0].gain, 2);
}

TEST(pb2_history, orders_by_time_and_keeps_the_last_thousand) {
  history uut;
  for (int i = 1200; i > 0; --i) {
    auto trial = trial_id{static_cast<std::uint64_t>(i)};
    uut.reach(trial, {0, 0, {0.5}});
    uut.reach(trial, {static_cast<double>(i), 1, {0.5}});
  }

  auto found = uut.stretches();

  ASSERT_THAT(found, SizeIs(1000));
  EXPECT_EQ(found.front().time, 201);
  EXPECT_EQ(found.back().time, 1200);
}

TEST(pb2_history, goes_on_after_an_infinite_time) {
  history uut;
  uut.reach({0}, {10, 1, {0.5}});
  uut.reach({1}, {infinity, 9, {0.5}});
  uut.reach({0}, {20, 6, {0.5}});

  ASSERT_THAT(uut.stretches(), SizeIs(1));
  EXPECT_EQ(uut.stretches()[0].gain, 0.5);
}

TEST(pb2_history, knows_what_was_chosen_since_the_newest_result) {
  history uut;
  uut.reach({0}, {10, 1, {0.1}});
  uut.take_over({1}, {10, 1, {0.2}});
  uut.reach({2}, {10, 1, {0.1}});
  uut.take_over({2}, {10, 1, {0.3}});
  EXPECT_THAT(uut.chosen(), ElementsAre(ElementsAre(0.2), ElementsAre(0.3)));

  uut.reach({0}, {11, 1, {0.1}});

  EXPECT_THAT(uut.chosen(), IsEmpty());
}

TEST(pb2_history, shows_all_it_knows_in_its_fingerprint) {
  auto digest = [](const history& x) {
    fingerprint result;
    x.describe(result);
    return result.digest();
  };
  history uut;
  auto last = digest(uut);
  auto changed = [&] { return std::exchange(last, digest(uut)) != last; };

  uut.reach({0}, {10, 1, {0.1}});
  EXPECT_TRUE(changed());
  uut.reach({0}, {11, 1, {0.1}});
  EXPECT_TRUE(changed());
  uut.take_over({0}, {11, 1, {0.2}});
  EXPECT_TRUE(changed());
  uut.forget({0});
  EXPECT_TRUE(changed());
}

// -- The choice.

/// Training stretches in a world in which the gain is best at `best` at any time.
std::vector<stretch> world(double best, std::size_t count, std::uint64_t seed = 1) {
  rng draw{seed, "world", 0};
  std::vector<stretch> result;
  for (std::size_t i = 0; i < count; ++i) {
    auto x = draw.unit();
    result.push_back({static_cast<double>(i), draw.unit(), {x}, -(x - best) * (x - best)});
  }
  return result;
}

std::function<double()> draws(std::uint64_t seed = 1) {
  return [draw = std::make_shared<rng>(seed, "test", 0)] { return draw->unit(); };
}

TEST(pb2_proposal, scales_what_the_process_takes) {
  const prepared uut{{{10, 100, {0.1, 0.2}, 5}, {20, 300, {0.3, 0.4}, 7}, {15, 200, {0, 1}, 9}}};

  EXPECT_NEAR(uut.where[0].time, 0, 1e-9);
  EXPECT_NEAR(uut.where[2].time, 0.5, 1e-9);
  EXPECT_THAT(uut.where[1].at,
              ElementsAre(DoubleNear(1, 1e-9), DoubleNear(0.3, 1e-9), DoubleNear(0.4, 1e-9)));
  // The gains have mean 7 and variance 8/3.
  auto sd = std::sqrt(8.0 / 3);
  EXPECT_THAT(uut.gains, ElementsAre(DoubleNear(-2 / sd, 1e-6), DoubleNear(0, 1e-6),
                                     DoubleNear(2 / sd, 1e-6)));
}

TEST(pb2_proposal, cuts_gains_that_are_far_off) {
  std::vector<stretch> all(20);
  for (std::size_t i = 0; i < all.size(); ++i)
    all[i] = {static_cast<double>(i), 0, {0.5}, i == 7 ? 1000.0 : 0.0};

  EXPECT_EQ(prepared{all}.gains[7], 2);
}

TEST(pb2_proposal, bears_stretches_that_are_all_alike) {
  const std::vector<stretch> all(5, {3, 1, {0.5}, 2});

  auto found = propose(all, {3, 1, {}}, draws());

  ASSERT_THAT(found.at, SizeIs(1));
  EXPECT_THAT(found.at[0], testing::AllOf(testing::Ge(0), testing::Le(1)));
}

TEST(pb2_proposal, goes_where_training_gains_most) {
  auto found = propose(world(0.7, 60), {60, 0.5, {}}, draws());

  EXPECT_NEAR(found.at[0], 0.7, 0.15);
  EXPECT_EQ(found.stretches, 60u);
}

TEST(pb2_proposal, stays_in_the_box_where_the_best_is_at_its_border) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    auto found = propose(world(1.5, 30, seed), {30, 0.5, {}}, draws(seed));

    ASSERT_THAT(found.at, SizeIs(1));
    EXPECT_THAT(found.at[0], testing::AllOf(Gt(0.8), testing::Le(1))) << "seed " << seed;
  }
}

TEST(pb2_proposal, keeps_away_from_what_others_chose) {
  auto all = world(0.5, 12);
  const question alone{12, 0.5, {}};
  auto first = propose(all, alone, draws());
  question crowded = alone;
  crowded.chosen.assign(20, first.at);

  auto second = propose(all, crowded, draws());

  EXPECT_THAT(std::abs(second.at[0] - first.at[0]), Gt(0.001));
}

TEST(pb2_proposal, does_the_same_with_the_same_draws) {
  auto all = world(0.4, 40);

  EXPECT_EQ(propose(all, {40, 0.5, {}}, draws(3)).at, propose(all, {40, 0.5, {}}, draws(3)).at);
}

TEST(pb2_window, takes_all_of_two_hundred) {
  EXPECT_EQ(window_length(world(0.5, 200), {}), 200u);
  EXPECT_EQ(window_length(world(0.5, 37), {}), 37u);
}

TEST(pb2_window, takes_more_where_more_fits_and_less_where_the_past_was_another_world) {
  // A function that is known to the last digit, so that each further measurement is likely.
  const kernel sure{1, 1, 0, 1e-3};
  EXPECT_EQ(window_length(world(0.5, 300), sure), 300u);

  rng draw{1, "chaos", 0};
  auto changed = world(0.5, 300);
  for (std::size_t i = 0; i < 90; ++i)
    changed[i].gain = draw.normal();

  EXPECT_EQ(window_length(changed, sure), 210u);
}

} // namespace
} // namespace tune::pb2
