// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/trial/counted_attempts.hpp"

#include <gtest/gtest.h>

namespace tune {
namespace {

constexpr trial_id trial{7};
constexpr trial_id other{8};

TEST(counted_attempts, are_all_at_first) {
  const counted_attempts uut;

  EXPECT_EQ(uut.why_not(trial, {1, 5}), "");
}

TEST(counted_attempts, are_none_that_were_given_up) {
  counted_attempts uut;

  uut.give_up(trial, {1, 5});

  EXPECT_EQ(uut.why_not(trial, {1, 5}), "the head has given the attempt up");
  EXPECT_EQ(uut.why_not(trial, {1, 6}), "");
  EXPECT_EQ(uut.why_not(other, {1, 5}), "");
}

TEST(counted_attempts, are_none_before_the_latest_that_has_written) {
  counted_attempts uut;

  uut.note(trial, {1, 6});
  uut.note(trial, {1, 5});

  EXPECT_EQ(uut.why_not(trial, {1, 5}), "a later attempt of the trial has written since");
  EXPECT_EQ(uut.why_not(trial, {1, 6}), "");
  EXPECT_EQ(uut.why_not(trial, {2, 1}), "") << "of the next head";
  EXPECT_EQ(uut.why_not(other, {1, 5}), "");
}

} // namespace
} // namespace tune
