// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/liveness/idle_limit.hpp"
#include "tune/core/liveness/retry_pace.hpp"

#include <gtest/gtest.h>

namespace tune {
namespace {

using namespace std::chrono_literals;

const retry_pace::time_point start{};

TEST(idle_limit, is_over_if_nothing_happened_since) {
  idle_limit uut;
  const auto stretch = uut.note(false);

  ASSERT_TRUE(stretch);
  EXPECT_TRUE(uut.is_over(*stretch));
}

TEST(idle_limit, forgets_a_stretch_that_work_ended) {
  idle_limit uut;
  const auto before = uut.note(false);
  EXPECT_EQ(uut.note(true), std::nullopt);
  EXPECT_FALSE(uut.is_over(*before)) << "it is busy";

  const auto after = uut.note(false);

  EXPECT_FALSE(uut.is_over(*before)) << "a new stretch counts from its own beginning";
  EXPECT_TRUE(uut.is_over(*after));
}

TEST(retry_pace, doubles_its_waits_up_to_a_limit) {
  retry_pace uut{500ms, 3s, {}};
  std::vector<std::chrono::milliseconds> waits;
  for (int i = 0; i < 5; ++i) {
    waits.push_back(uut.wait());
    uut.lengthen();
  }

  EXPECT_EQ(waits, (std::vector<std::chrono::milliseconds>{500ms, 1s, 2s, 3s, 3s}));
  uut.restart();
  EXPECT_EQ(uut.wait(), 500ms);
}

TEST(retry_pace, keeps_to_another_limit_but_waits_the_shortest_wait) {
  retry_pace uut{500ms, 3s, {}};
  uut.lengthen(700ms);
  EXPECT_EQ(uut.wait(), 700ms);
  uut.lengthen(100ms);
  EXPECT_EQ(uut.wait(), 500ms);
}

TEST(retry_pace, has_patience_for_the_first_success_alone) {
  retry_pace uut{500ms, 3s, 5s};
  uut.begin(start);
  EXPECT_FALSE(uut.is_exhausted(start + 4500ms));
  EXPECT_TRUE(uut.is_exhausted(start + 4501ms));

  uut.succeed();

  EXPECT_FALSE(uut.is_exhausted(start + 24h));
}

} // namespace
} // namespace tune
