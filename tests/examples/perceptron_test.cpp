// SPDX-License-Identifier: BSD-3-Clause
#include "digits/perceptron.hpp"

#include <gtest/gtest.h>

#include <cmath>

using namespace tune::examples;

namespace {

constexpr std::uint64_t seed = 11;

digit_set random_images(std::size_t count) {
  auto draws = tune::rng{seed, "perceptron_test", 0};
  digit_set result;
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t j = 0; j < pixels_per_digit; ++j)
      result.pixels.push_back(static_cast<float>(draws.unit()));
    result.labels.push_back(static_cast<std::uint8_t>(draws.below(digit_classes)));
  }
  return result;
}

} // namespace

TEST(perceptron, has_weights_and_biases_for_each_layer) {
  auto uut = perceptron{{64, 5, 3, 10}, seed};

  EXPECT_EQ(uut.parameters().size(), 65u * 5 + 6u * 3 + 4u * 10);
}

TEST(perceptron, starts_from_weights_that_only_the_seed_decides) {
  auto uut = perceptron{{64, 8, 10}, seed};
  auto same = perceptron{{64, 8, 10}, seed};
  auto other = perceptron{{64, 8, 10}, seed + 1};

  EXPECT_TRUE(std::ranges::equal(uut.parameters(), same.parameters()));
  EXPECT_FALSE(std::ranges::equal(uut.parameters(), other.parameters()));
}

TEST(perceptron, knows_nothing_before_it_learns) {
  auto images = random_images(200);
  auto uut = perceptron{{64, 32, 10}, seed};

  EXPECT_NEAR(uut.evaluate(images).loss, std::log(10), 1.0) << "seed " << seed;
  EXPECT_LT(uut.evaluate(images).accuracy, 0.3) << "seed " << seed;
}

TEST(perceptron, computes_the_gradient_that_differences_show) {
  auto images = random_images(6);
  auto uut = perceptron{{64, 7, 5, 10}, seed};
  auto draws = tune::rng{seed, "dropout", 0};
  std::vector<float> gradient(uut.parameters().size());
  uut.gradient(images, 0, draws, gradient);

  constexpr auto h = 1e-3F;
  for (std::size_t i = 0; i < gradient.size(); i += 3) {
    auto kept = uut.parameters()[i];
    uut.parameters()[i] = kept + h;
    auto above = uut.evaluate(images).loss;
    uut.parameters()[i] = kept - h;
    auto below = uut.evaluate(images).loss;
    uut.parameters()[i] = kept;
    EXPECT_NEAR(gradient[i], (above - below) / (2 * h), 1e-3)
        << "parameter " << i << ", seed " << seed;
  }
}

TEST(perceptron, returns_the_loss_that_evaluation_finds) {
  auto images = random_images(20);
  auto uut = perceptron{{64, 7, 10}, seed};
  auto draws = tune::rng{seed, "dropout", 0};
  std::vector<float> gradient(uut.parameters().size());

  EXPECT_NEAR(uut.gradient(images, 0, draws, gradient), uut.evaluate(images).loss, 1e-6);
}

TEST(perceptron, switches_off_the_asked_share_of_hidden_outputs) {
  auto images = random_images(1);
  auto uut = perceptron{{64, 2000, 10}, seed};
  auto without = std::vector<float>(uut.parameters().size());
  auto with = without;
  auto draws = tune::rng{seed, "dropout", 0};
  uut.gradient(images, 0, draws, without);
  uut.gradient(images, 0.25, draws, with);

  auto alive = 0.0, kept = 0.0;
  auto biases = 64u * 2000; // a hidden unit's bias has a gradient only if the unit took part
  for (std::size_t i = 0; i < 2000; ++i) {
    alive += without[biases + i] != 0 ? 1 : 0;
    kept += with[biases + i] != 0 ? 1 : 0;
  }

  EXPECT_GT(alive, 500);
  EXPECT_NEAR(kept / alive, 0.75, 0.06) << "seed " << seed;
}
