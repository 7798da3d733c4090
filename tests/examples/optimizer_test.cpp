// SPDX-License-Identifier: BSD-3-Clause
#include "digits/optimizer.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>

using namespace tune::examples;

TEST(optimizer, steps_against_the_gradient_with_plain_sgd) {
  auto uut = optimizer{{optimizer_kind::sgd, 0.5, 0, 0}, 2};
  std::array parameters{1.0F, -1.0F};

  uut.step(parameters, std::array{2.0F, -4.0F});

  EXPECT_EQ(parameters, (std::array{0.0F, 1.0F}));
}

TEST(optimizer, repeats_a_share_of_the_last_move_with_momentum) {
  auto uut = optimizer{{optimizer_kind::sgd, 1, 0.5, 0}, 1};
  std::array parameters{0.0F};

  uut.step(parameters, std::array{-4.0F});
  uut.step(parameters, std::array{0.0F});

  EXPECT_EQ(parameters[0], 4.0F + 2.0F);
}

TEST(optimizer, moves_by_the_learning_rate_at_the_first_step_of_adam) {
  auto uut = optimizer{{optimizer_kind::adam, 0.01, 0, 0}, 2};
  std::array parameters{0.0F, 0.0F};

  uut.step(parameters, std::array{1000.0F, -0.001F});

  EXPECT_NEAR(parameters[0], -0.01, 1e-5);
  EXPECT_NEAR(parameters[1], 0.01, 1e-5);
}

TEST(optimizer, follows_adams_formula_over_several_steps) {
  auto uut = optimizer{{optimizer_kind::adam, 0.1, 0, 0}, 1};
  std::array parameters{0.0F};
  auto mean = 0.0, square = 0.0, expected = 0.0;

  for (auto t = 1; t <= 5; ++t) {
    auto gradient = 1.0 / t - 0.4;
    mean = 0.9 * mean + 0.1 * gradient;
    square = 0.999 * square + 0.001 * gradient * gradient;
    expected -= 0.1 * (mean / (1 - std::pow(0.9, t)))
                / (std::sqrt(square / (1 - std::pow(0.999, t))) + 1e-8);
    uut.step(parameters, std::array{static_cast<float>(gradient)});
  }

  EXPECT_NEAR(parameters[0], expected, 1e-5);
}

TEST(optimizer, shrinks_parameters_by_weight_decay_even_without_a_gradient) {
  for (auto kind : {optimizer_kind::sgd, optimizer_kind::adam}) {
    auto uut = optimizer{{kind, 0.5, 0.9, 0.1}, 1};
    std::array parameters{1.0F};

    uut.step(parameters, std::array{0.0F});

    EXPECT_FLOAT_EQ(parameters[0], 0.95F);
  }
}
