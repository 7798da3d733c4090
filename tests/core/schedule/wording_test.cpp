// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/schedule/wording.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace tune {
namespace {

TEST(wording, rounds_numbers_to_six_digits) {
  EXPECT_EQ(brief(1.1968666666666663), "1.19687");
  EXPECT_EQ(brief(0.1 + 0.2), "0.3");
  EXPECT_EQ(brief(1.23456789e-7), "1.23457e-07");
  EXPECT_EQ(brief(1234567), "1234567");
  EXPECT_EQ(brief(-0.5), "-0.5");
  EXPECT_EQ(brief(std::numeric_limits<double>::infinity()), "inf");
}

TEST(wording, leaves_what_is_no_number_as_it_is) {
  EXPECT_EQ(brief(value{"adam"}), to_text(value{"adam"}));
  EXPECT_EQ(brief(value{0.1 + 0.2}), "0.3");
  EXPECT_EQ(brief(value{7}), "7");
}

TEST(wording, tells_numbers_apart_that_are_nearly_the_same) {
  using texts = std::pair<std::string, std::string>;

  EXPECT_EQ(told_apart(2.5, 1.1968666666666663), (texts{"2.5", "1.19687"}));
  EXPECT_EQ(told_apart(1.0000001, 1.0000002), (texts{"1.0000001", "1.0000002"}));
  EXPECT_EQ(told_apart(3, 3), (texts{"3", "3"}));
}

} // namespace
} // namespace tune
