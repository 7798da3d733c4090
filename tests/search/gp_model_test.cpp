// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/search/gp/acquisition.hpp"
#include "tune/core/search/gp/branch.hpp"
#include "tune/core/search/gp/kernel_book.hpp"
#include "tune/core/search/gp/model.hpp"

#include "support/asking.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

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

/// An example with two numbers and a category, five results and a kernel.
struct example {
  encoding space
      = encoding_of({{"x", "uniform(0, 1)"}, {"y", "uniform(0, 1)"}, {"c", "choice(p, q, r)"}});
  std::vector<cube_point> points{
      {0.1, 0.2, 0}, {0.5, 0.9, 1}, {0.8, 0.4, 2}, {0.3, 0.6, 0}, {0.95, 0.05, 1}};
  std::vector<double> targets{0.3, -1.2, 0.7, 0.1, 1.4};
  gp::kernel_logs logs{std::log(0.4), std::log(0.9), std::log(1.5), std::log(1.3), std::log(0.01)};

  [[nodiscard]] gp::inputs inputs_of(const std::vector<cube_point>& xs) const {
    gp::inputs made{space};
    for (const auto& x : xs)
      made.add(x);
    return made;
  }
};

// Value by numpy and scipy.linalg.cho_factor, from the formulas in the documentation of
// `kernel_logs` and `kernel_prior`.
TEST(gp_model, fits_as_badly_as_numpy_says) {
  example x;
  EXPECT_NEAR(
      gp::misfit(x.inputs_of(x.points), x.targets, gp::kernel_prior::of(3), x.logs, nullptr),
      4.372601215096821, 1e-9);
}

// Values by numpy.linalg.solve. The last point's category is inactive.
TEST(gp_model, predicts_what_numpy_says) {
  example x;
  gp::model uut{x.inputs_of(x.points), x.targets, x.logs};

  std::vector<double> means;
  std::vector<double> variances;
  uut.predict(x.inputs_of({{0.45, 0.55, 0}, {0.1, 0.2, 0}, {0.7, 0.7, 1}, {0.5, 0.5, inactive}}),
              means, variances);

  EXPECT_THAT(means, testing::Pointwise(testing::DoubleNear(1e-9),
                                        {0.02571403884228833, 0.30101283480990587,
                                         -0.36214854807708874, -0.1371234527988441}));
  EXPECT_THAT(variances, testing::Pointwise(testing::DoubleNear(1e-9),
                                            {0.18967758831678916, 0.009847417415286053,
                                             0.28117767837587726, 0.5741658954616697}));
}

TEST(gp_model, has_the_gradient_that_differences_have) {
  auto space = encoding_of({{"a", "choice(p, q)"},
                            {"u", "uniform(0, 1)"},
                            {"v", "loguniform(0.1, 1) if a == p"},
                            {"n", "randint(0, 9)"}});
  rng from{4, "gradient", 0};
  gp::inputs at{space};
  std::vector<double> targets;
  for (int i = 0; i < 17; ++i) {
    at.add(space.canonical(space.random(from)));
    targets.push_back(from.normal());
  }
  auto prior = gp::kernel_prior::of(space.mean_active());
  for (int round = 0; round < 3; ++round) {
    auto logs = gp::first_guess(prior, 4);
    for (auto& x : logs)
      x += 0.7 * from.normal();
    std::vector<double> slopes(logs.size());
    (void)gp::misfit(at, targets, prior, logs, &slopes);
    for (std::size_t i = 0; i < logs.size(); ++i) {
      constexpr double step = 1e-5;
      auto up = logs;
      auto down = logs;
      up[i] += step;
      down[i] -= step;
      auto difference = (gp::misfit(at, targets, prior, up, nullptr)
                         - gp::misfit(at, targets, prior, down, nullptr))
                        / (2 * step);
      EXPECT_NEAR(slopes[i], difference, 1e-5 * (1 + std::abs(difference))) << i;
    }
  }
}

// Enough points for several blocks of columns, the last ones of all sizes, and for more than one
// panel.
TEST(gp_model, has_the_gradient_that_differences_have_with_many_points) {
  auto space = encoding_of({{"u", "uniform(0, 1)"}, {"v", "uniform(0, 1)"}});
  rng from{5, "gradient", 0};
  gp::inputs at{space};
  std::vector<double> targets;
  auto prior = gp::kernel_prior::of(2);
  gp::kernel_logs logs{-1, -0.5, 0.3, -3};
  constexpr double h = 1e-5;
  for (std::size_t n = 1; n <= 130; ++n) {
    auto x = space.random(from);
    at.add(x);
    targets.push_back(std::sin(7 * x[0]) + x[1] + 0.1 * from.normal());
    if (n > 3 && n < 46)
      continue;
    std::vector<double> gradient;
    static_cast<void>(gp::misfit(at, targets, prior, logs, &gradient));
    for (std::size_t i = 0; i < logs.size(); ++i) {
      auto more = logs;
      auto less = logs;
      more[i] += h;
      less[i] -= h;
      auto expected = (gp::misfit(at, targets, prior, more, nullptr)
                       - gp::misfit(at, targets, prior, less, nullptr))
                      / (2 * h);
      ASSERT_NEAR(gradient[i], expected, 1e-4 * (1 + std::abs(expected))) << n << ", " << i;
    }
  }
}

TEST(gp_model, descends_to_where_nothing_is_left_to_gain) {
  example x;
  auto at = x.inputs_of(x.points);
  auto prior = gp::kernel_prior::of(3);

  auto found = gp::descend(at, x.targets, prior, gp::first_guess(prior, 3), 100);

  EXPECT_LT(found.misfit, gp::misfit(at, x.targets, prior, x.logs, nullptr));
  for (std::size_t i = 0; i < found.logs.size(); ++i) {
    for (auto by : {-0.05, 0.05}) {
      auto other = found.logs;
      other[i] += by;
      EXPECT_GT(gp::misfit(at, x.targets, prior, other, nullptr), found.misfit - 1e-4);
    }
  }
}

TEST(gp_model, finds_out_which_axes_matter) {
  auto space = encoding_of({{"u", "uniform(0, 1)"}, {"v", "uniform(0, 1)"}});
  rng from{8, "axes", 0};
  gp::inputs at{space};
  std::vector<double> targets;
  for (int i = 0; i < 40; ++i) {
    auto x = space.random(from);
    at.add(x);
    targets.push_back(1.4 * std::sin(7 * x[0]));
  }
  auto prior = gp::kernel_prior::of(2);

  auto found = gp::descend(at, targets, prior, gp::first_guess(prior, 2), 40);

  EXPECT_LT(4 * std::exp(found.logs[0]), std::exp(found.logs[1]));
}

TEST(gp_model, believes_its_own_means_and_is_surer_there) {
  example x;
  gp::model before{x.inputs_of(x.points), x.targets, x.logs};
  auto place = x.inputs_of({{0.5, 0.2, 2}});
  std::vector<double> mean;
  std::vector<double> variance;
  before.predict(place, mean, variance);

  auto uut = before.believing(place);

  std::vector<double> mean_after;
  std::vector<double> variance_after;
  uut.predict(place, mean_after, variance_after);
  EXPECT_NEAR(mean_after[0], mean[0], 1e-9);
  EXPECT_LT(variance_after[0], 0.05 * variance[0]);
}

TEST(gp_model, copes_with_points_that_coincide) {
  example x;
  gp::model uut{x.inputs_of(std::vector<cube_point>(30, x.points[0])), std::vector<double>(30, 1),
                x.logs};
  std::vector<double> mean;
  std::vector<double> variance;
  uut.predict(x.inputs_of(x.points), mean, variance);
  EXPECT_NEAR(mean[0], 1, 0.01);
  for (auto v : variance)
    EXPECT_GT(v, 0);
}

std::vector<result> results_on(const encoding& space, std::size_t count) {
  std::vector<result> made;
  rng from{6, "results", 0};
  for (std::size_t i = 0; i < count; ++i) {
    auto at = space.canonical(space.random(from));
    made.push_back({at, ending::finished, std::sin(5 * at[0]) + at[1] * at[1], {}});
  }
  return made;
}

TEST(kernel_book, gives_the_same_whether_it_remembers_or_not) {
  auto space = encoding_of({{"u", "uniform(0, 1)"}, {"v", "uniform(0, 1)"}});
  auto all = results_on(space, 74);
  gp::kernel_book remembering;
  for (std::size_t n = 2; n <= all.size(); n += n < 20 ? 6 : 3) {
    gp::evidence from{&space, std::span{all}.first(n), 1};
    for (auto power : {false, true}) {
      gp::kernel_book fresh;
      EXPECT_EQ(remembering.kernel_for(from, power), fresh.kernel_for(from, power)) << n;
    }
  }
}

TEST(kernel_book, does_not_mix_up_histories) {
  auto space = encoding_of({{"u", "uniform(0, 1)"}, {"v", "uniform(0, 1)"}});
  auto one = results_on(space, 25);
  auto other = one;
  other[3].value += 5;
  gp::kernel_book uut;
  auto first = uut.kernel_for({&space, one, 1}, false);
  gp::kernel_book fresh;
  EXPECT_NE(uut.kernel_for({&space, other, 1}, false), first);
  EXPECT_EQ(uut.kernel_for({&space, other, 1}, false), fresh.kernel_for({&space, other, 1}, false));
}

TEST(portion, takes_the_best_the_newest_and_some_others) {
  auto space = encoding_of({{"u", "uniform(0, 1)"}});
  auto all = std::vector<result>(1000, {{0.5}, ending::finished, 0, {}});
  std::vector<double> targets;
  for (int i = 0; i < 1000; ++i)
    targets.push_back((i * 617) % 1000);

  auto chosen = gp::chosen_of({&space, all, 3}, targets, {20, 10, 5});

  EXPECT_EQ(chosen.size(), 35u);
  EXPECT_TRUE(std::is_sorted(chosen.begin(), chosen.end()));
  for (std::size_t i = 0; i < 1000; ++i) {
    if (targets[i] < 20 || i >= 990) {
      EXPECT_TRUE(std::binary_search(chosen.begin(), chosen.end(), i)) << i;
    }
  }
}

TEST(acquisition, goes_where_the_model_expects_an_improvement_and_nobody_was) {
  auto space = encoding_of({{"u", "uniform(0, 1)"}});
  gp::inputs at{space};
  std::vector<double> targets;
  for (auto u : {0.0, 0.2, 0.4, 0.6, 0.8, 1.0}) {
    at.add({u});
    targets.push_back(8 * (u - 0.7) * (u - 0.7) - 1);
  }
  gp::model by{at, targets, {std::log(0.5), 0, std::log(1e-4)}};
  gp::quest what;
  what.space = &space;
  what.by = &by;
  what.best = -0.92;
  what.around = {{0.6}, {0.8}};
  what.is_taken = [](const cube_point&) { return false; };
  rng from{1, "test", 0};

  auto found = gp::most_promising(what, from);

  ASSERT_TRUE(found);
  EXPECT_NEAR((*found)[0], 0.7, 0.03);
  what.is_taken = [](const cube_point& x) { return x[0] > 0.5; };
  EXPECT_LE((*gp::most_promising(what, from))[0], 0.5);
  what.is_taken = [](const cube_point&) { return true; };
  EXPECT_FALSE(gp::most_promising(what, from));
}

TEST(branches, deserve_shares_by_their_rank) {
  auto space = encoding_of({{"f", "choice(p, q, r)"},
                            {"u", "uniform(0, 1) if f == p"},
                            {"v", "uniform(0, 1) if f == q"},
                            {"n", "randint(0, 40)"},
                            {"w", "uniform(0, 1) if n > 3"}});
  ASSERT_EQ(gp::branching_axis(space), 0u);
  std::vector<result> all;
  auto add = [&](double family, double value) {
    all.push_back({space.canonical({family, 0.5, 0.5, 0.5, 0.5}), ending::finished, value, {}});
  };
  add(1, 0.1);
  add(0, 0.5);
  // The best branch deserves 6/11 of the results, the others 3/11 and 2/11.
  EXPECT_EQ(gp::neglected_branch(space, 0, all).at, 2);
  for (int i = 0; i < 9; ++i)
    add(2, 1);
  EXPECT_EQ(gp::neglected_branch(space, 0, all).at, 1);
}

} // namespace
