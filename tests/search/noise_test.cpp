// Noise estimated from several runs of one configuration, and its use in a Gaussian process.
// SPDX-License-Identifier: BSD-3-Clause
#include "support/asking.hpp"

#include "tune/core/experiment/run_book.hpp"
#include "tune/core/search/excess_noise.hpp"
#include "tune/core/search/fidelity/courses.hpp"
#include "tune/core/search/gp/kernel_book.hpp"
#include "tune/core/search/gp/model.hpp"
#include "tune/core/search/gp/targets.hpp"
#include "tune/core/search/repeat/repeater.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace {

using namespace tune;
using learning::ending;
using learning::result;
using testing::DoubleNear;
using testing::Each;
using testing::ElementsAre;
using testing::Gt;
using testing::SizeIs;

/// Results of five configurations: three ran three times, one twice, and one once.
std::vector<result> some_results() {
  const std::vector<double> at{0.1, 0.35, 0.5, 0.7, 0.9};
  const std::vector<double> values{0.9, 0.4, 0.1, 0.5, 1.3};
  const std::vector<run_spread> spreads{
      {3, 0.02, 3}, {3, 0.05, 3}, {3, 0.01, 3}, {2, 0.03, 2}, {1, 0, 1}};
  std::vector<result> all;
  for (std::size_t i = 0; i < at.size(); ++i) {
    result x;
    x.at = {at[i]};
    x.value = values[i];
    x.spread = spreads[i];
    all.push_back(x);
  }
  return all;
}

// Monte Carlo by numpy 2.4 with 400,000 samples of each size: 2.23, 3.48 and 7.25 for medians of 3,
// 5 and 10, where the formula may be a tenth off; 0.129, 1.06, 3.26 and 8.50 for lower bounds of 2,
// 3, 5 and 10, with t by scipy 1.17.
TEST(worth, tells_how_much_more_certain_a_value_is_than_a_run) {
  using enum run_judge;
  EXPECT_EQ(worth_of(mean, 1), 1);
  EXPECT_EQ(worth_of(mean, 5), 5);
  EXPECT_EQ(worth_of(median, 1), 1);
  EXPECT_EQ(worth_of(median, 2), 2);
  EXPECT_NEAR(worth_of(median, 3), 2.23, 0.223);
  EXPECT_NEAR(worth_of(median, 5), 3.48, 0.348);
  EXPECT_NEAR(worth_of(median, 10), 7.25, 0.725);
  EXPECT_EQ(worth_of(lower_bound, 1), 1);
  EXPECT_NEAR(worth_of(lower_bound, 2), 0.129, 0.001);
  EXPECT_NEAR(worth_of(lower_bound, 3), 1.06, 0.01);
  EXPECT_NEAR(worth_of(lower_bound, 5), 3.26, 0.02);
  EXPECT_NEAR(worth_of(lower_bound, 10), 8.5, 0.05);
}

TEST(pooled_spread, is_the_mean_variance_by_degrees_of_freedom) {
  pooled_spread uut;
  EXPECT_EQ(uut.variance(), 0);

  for (const auto& x : some_results())
    uut.add(x.spread);
  uut.add({});

  EXPECT_NEAR(uut.variance(), 0.11 / 7, 1e-15);
  EXPECT_NEAR(uut.variance_of(run_spread{2, 0.03, 2}), 0.11 / 14, 1e-15);
  EXPECT_EQ(uut.variance_of({}), 0);
}

TEST(excess_noise, is_what_a_value_is_less_certain_than_the_most_certain_one) {
  std::vector<std::optional<run_spread>> spreads{std::nullopt};
  for (const auto& x : some_results())
    spreads.push_back(x.spread);

  EXPECT_THAT(excess_noise(spreads),
              ElementsAre(0, 0, 0, 0, DoubleNear(0.11 / 7 * (1 / 2. - 1 / 3.), 1e-15),
                          DoubleNear(0.11 / 7 * (1 - 1 / 3.), 1e-15)));
  EXPECT_THAT(excess_noise({std::nullopt, std::nullopt}), Each(0));
}

// Values by numpy 2.4: Σ squares / Σ (runs - 1) times (1 / runs - 1 / 3), over the variance of the
// values. With the transform also times its squared slope by central differences, where λ = 0.6
// comes from an independent scan.
TEST(noises, are_what_fewer_runs_leave_uncertain_on_the_scale_of_targets) {
  auto all = some_results();

  EXPECT_THAT(gp::noises(all, false), ElementsAre(0, 0, 0, DoubleNear(0.015017474879860203, 1e-12),
                                                  DoubleNear(0.06006989951944081, 1e-12)));
  EXPECT_THAT(gp::noises(all, true), ElementsAre(0, 0, 0, DoubleNear(0.01958575491906476, 1e-8),
                                                 DoubleNear(0.02912068731983390, 1e-8)));
}

TEST(noises, are_none_where_nothing_is_known_of_them_or_the_target_is_no_value) {
  auto all = some_results();
  for (auto& x : all)
    x.spread.reset();
  EXPECT_THAT(gp::noises(all, false), Each(0));

  all = some_results();
  all[3].how = ending::failed;
  EXPECT_THAT(gp::noises(all, false), ElementsAre(0, 0, 0, 0, Gt(0)));
  all[3].how = ending::finished;
  all[4].missed = {0.5};
  EXPECT_THAT(gp::noises(all, false), ElementsAre(0, 0, 0, Gt(0), 0));
  all[3].spread.reset();
  EXPECT_THAT(gp::noises(all, false), Each(0));
}

TEST(noises, end_where_a_target_says_nothing) {
  auto all = some_results();
  all[0].spread->squares = 1e6;

  EXPECT_THAT(gp::noises(all, false), ElementsAre(0, 0, 0, 2, 2));
}

// Values by numpy 2.4: linalg.solve and slogdet of the matrix with ℓ = 0.3, s² = 1, σ² = 10⁻³, and
// the noises above on its diagonal.
TEST(model, trusts_means_of_more_runs_more) {
  auto space = encoding::make(support::space_of({{"x", "uniform(0, 1)"}}), "test");
  ASSERT_TRUE(space);
  auto all = some_results();
  auto targets = gp::targets(all, false);
  auto noise = gp::noises(all, false);
  gp::kernel_logs logs{std::log(0.3), 0, std::log(1e-3)};
  gp::inputs at{*space};
  for (std::size_t i = 0; i < all.size(); ++i)
    at.add(all[i].at, noise[i]);
  gp::inputs asked{*space};
  for (auto x : {0.2, 0.5, 0.8})
    asked.add({x});

  std::vector<double> means;
  std::vector<double> variances;
  gp::model{at, targets, logs}.predict(asked, means, variances);

  EXPECT_THAT(means, ElementsAre(DoubleNear(0.28986911070870136, 1e-9),
                                 DoubleNear(-1.2899575553171816, 1e-9),
                                 DoubleNear(0.6566412821675495, 1e-9)));
  EXPECT_THAT(variances, ElementsAre(DoubleNear(0.04110452818102295, 1e-9),
                                     DoubleNear(0.0009918114923901378, 1e-9),
                                     DoubleNear(0.04186151584421505, 1e-9)));
  EXPECT_NEAR(gp::misfit(at, targets, gp::kernel_prior::of(1), logs, nullptr), 3.240313254128088,
              1e-9);
}

TEST(kernels, follow_from_the_noise_of_results) {
  auto space = encoding::make(support::space_of({{"x", "uniform(0, 1)"}}), "test");
  ASSERT_TRUE(space);
  auto noisy = some_results();
  auto plain = noisy;
  for (auto& x : plain)
    x.spread.reset();
  gp::kernel_book book;

  auto with = book.kernel_for({&*space, noisy, 7}, false);
  auto without = book.kernel_for({&*space, plain, 7}, false);

  EXPECT_NE(with, without);
  EXPECT_EQ(book.kernel_for({&*space, noisy, 7}, false), with);
}

TEST(estimates, have_on_top_what_fewer_runs_leave_uncertain) {
  auto space = std::make_shared<const encoding>(
      *encoding::make(support::space_of({{"x", "uniform(0, 1)"}}), "test"));
  fidelity::course_book book{space};
  auto tell = [&](std::uint64_t trial, double x, run_spread spread) {
    observation what;
    what.trial = {trial};
    what.config = std::make_shared<const object>(object{{"x", x}});
    what.fidelity = 4;
    what.values = {x};
    what.how = outcome::completed;
    what.spread = spread;
    book.apply({trial + 1, what});
  };
  tell(0, 0.2, {3, 0.04, 3});
  tell(1, 0.6, {2, 0.05, 2});

  auto found = fidelity::extrapolated(*space, book.courses());

  ASSERT_THAT(found, SizeIs(2));
  EXPECT_EQ(found[0].variance, 0);
  EXPECT_NEAR(found[1].variance, 0.03 * (1 / 2. - 1 / 3.), 1e-15);
}

} // namespace
