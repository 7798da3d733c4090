// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/liveness/signal_echo.hpp"

#include <gtest/gtest.h>

namespace tune {
namespace {

using namespace std::chrono_literals;

constexpr auto term = 15;
constexpr auto hang_up = 1;

TEST(signal_echo, counts_the_first_of_a_kind) {
  signal_echo uut;

  EXPECT_TRUE(uut.counts(term, 0s));
}

TEST(signal_echo, is_what_comes_again_within_the_window) {
  signal_echo uut{1s};
  static_cast<void>(uut.counts(term, 5s));

  EXPECT_FALSE(uut.counts(term, 5s));
  EXPECT_FALSE(uut.counts(term, 5001ms));
  EXPECT_FALSE(uut.counts(term, 5999ms));
}

TEST(signal_echo, is_not_what_comes_later) {
  signal_echo uut{1s};
  static_cast<void>(uut.counts(term, 5s));

  EXPECT_TRUE(uut.counts(term, 6s));
  EXPECT_FALSE(uut.counts(term, 6500ms));
}

TEST(signal_echo, does_not_hold_off_who_sends_without_a_pause) {
  signal_echo uut{1s};

  auto counted = 0;
  for (auto now = 0ms; now < 10s; now += 100ms)
    counted += uut.counts(term, now) ? 1 : 0;

  EXPECT_EQ(counted, 10);
}

TEST(signal_echo, is_of_its_own_kind_only) {
  signal_echo uut{1s};
  static_cast<void>(uut.counts(term, 5s));

  EXPECT_TRUE(uut.counts(hang_up, 5s));
  EXPECT_FALSE(uut.counts(term, 5500ms));
}

} // namespace
} // namespace tune
