// SPDX-License-Identifier: BSD-3-Clause
#include "simulate/target_watch.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <tuple>
#include <vector>

namespace tune::cli {
namespace {

using std::chrono::seconds;

/// Computes these losses, each in a second.
struct scripted : trial_model {
  std::vector<value> losses;
  simulated_step next(trial_id, const config_ptr&, std::uint64_t done) override {
    if (done >= losses.size())
      return {};
    return {object{{"loss", losses[done]}}, seconds{1}};
  }
};

struct target_watch_test : testing::Test {
  std::shared_ptr<scripted> model = std::make_shared<scripted>();
  instant now{0};

  target_watch watch(double enough, bool maximise = false) {
    return {model, {"loss", maximise}, enough, [this] { return now; }};
  }
};

TEST_F(target_watch_test, tells_when_a_value_was_good_enough_first) {
  model->losses = {3.0, 2, 1.0};
  auto uut = watch(2);
  for (std::uint64_t done = 0; done < 4; ++done) {
    now = seconds{10 * done};
    std::ignore = uut.next({0}, nullptr, done);
  }

  EXPECT_EQ(uut.reached(), seconds{11});
}

TEST_F(target_watch_test, takes_the_one_that_is_ready_first) {
  model->losses = {1.0};
  auto uut = watch(2);
  now = seconds{9};
  std::ignore = uut.next({0}, nullptr, 0);
  now = seconds{5};
  std::ignore = uut.next({1}, nullptr, 0);

  EXPECT_EQ(uut.reached(), seconds{6});
}

TEST_F(target_watch_test, knows_what_is_maximised) {
  model->losses = {1.0, 3.0};
  auto uut = watch(2, true);
  std::ignore = uut.next({0}, nullptr, 0);
  EXPECT_EQ(uut.reached(), std::nullopt);
  std::ignore = uut.next({0}, nullptr, 1);

  EXPECT_EQ(uut.reached(), seconds{1});
}

TEST_F(target_watch_test, takes_nothing_else_for_a_value) {
  model->losses = {"none", nullptr, std::nan("")};
  auto uut = watch(2);
  for (std::uint64_t done = 0; done < 4; ++done)
    std::ignore = uut.next({0}, nullptr, done);

  EXPECT_EQ(uut.reached(), std::nullopt);
}

} // namespace
} // namespace tune::cli
