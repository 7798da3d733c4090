// SPDX-License-Identifier: BSD-3-Clause
#include "digits/quadratic.hpp"

#include "digits/register_digits.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

using namespace tune;

namespace {

/// Records all reports, and answers stop after `last` of them.
class recording_session final : public session {
public:
  explicit recording_session(object config, std::size_t last = 1000)
      : config_{std::move(config)}, last_{last} {}

  [[nodiscard]] const object& config() const override { return config_; }
  [[nodiscard]] const trial_context& context() const override { return context_; }
  bool report(metrics what) override {
    losses.push_back(*what.find("loss")->as_double());
    scores.push_back(*what.find("score")->as_double());
    return losses.size() < last_;
  }
  bool report(metrics what, const std::filesystem::path&) override {
    return report(std::move(what));
  }
  [[nodiscard]] std::optional<std::filesystem::path> restore_from() const override { return {}; }
  [[nodiscard]] bool should_stop() const override { return losses.size() >= last_; }

  std::vector<double> losses;
  std::vector<double> scores;

private:
  object config_;
  trial_context context_;
  std::size_t last_;
};

} // namespace

TEST(quadratic, reports_a_bowl_whose_lowest_point_is_known) {
  recording_session lowest{{{"x", 1}, {"y", -2}, {"noise", 0}, {"iterations", 4}}};
  recording_session beside{{{"x", 3.0}, {"y", -1.0}, {"noise", 0}, {"iterations", 4}}};

  examples::quadratic(lowest);
  examples::quadratic(beside);

  EXPECT_EQ(lowest.losses, (std::vector{1.0, 0.5, 1.0 / 3, 0.25}));
  EXPECT_EQ(beside.losses, (std::vector{6.0, 5.5, 5 + 1.0 / 3, 5.25}));
  EXPECT_EQ(lowest.scores.back(), -0.25);
}

TEST(quadratic, draws_its_noise_from_the_seed) {
  recording_session one{{{"seed", 1}}};
  recording_session again{{{"seed", 1}}};
  recording_session other{{{"seed", 2}}};

  for (auto* x : {&one, &again, &other})
    examples::quadratic(*x);

  EXPECT_EQ(one.losses.size(), 10u);
  EXPECT_EQ(one.losses, again.losses);
  EXPECT_NE(one.losses, other.losses);
}

TEST(quadratic, ends_when_it_is_told_to) {
  recording_session three{{}, 3};

  examples::quadratic(three);

  EXPECT_EQ(three.losses.size(), 3u);
}

TEST(quadratic, refuses_what_is_not_a_number) {
  recording_session text{{{"x", "left"}}};

  EXPECT_THROW(examples::quadratic(text), std::invalid_argument);
}

TEST(register_digits, offers_a_class_and_a_function) {
  trainable_registry uut;

  examples::register_digits(uut, "data.csv");

  ASSERT_TRUE(uut.find("digits_mlp"));
  EXPECT_TRUE(uut.find("digits_mlp")->maker()->can_save());
  ASSERT_TRUE(uut.find("quadratic"));
  EXPECT_TRUE(uut.find("quadratic")->function);
}
