// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/space/unreached_bounds.hpp"

#include <gtest/gtest.h>

namespace tune {
namespace {

std::string bounds_of_text(std::string_view text) {
  auto what = parse_domain(text);
  EXPECT_TRUE(what) << text << ": " << what.error().detail;
  return what ? unreached_bounds(*what) : std::string{};
}

TEST(unreached_bounds, name_the_last_multiple_before_each) {
  EXPECT_EQ(bounds_of_text("qrandint(0, 10, 3)"),
            "high = 10 is no multiple of q = 3: the greatest value is 9");
  EXPECT_EQ(bounds_of_text("qlograndint(1, 16, 8)"),
            "low = 1 is no multiple of q = 8: the least value is 8");
  EXPECT_EQ(bounds_of_text("qrandint(-7, 9, 4)"),
            "low = -7 is no multiple of q = 4: the least value is -4; "
            "high = 9 is no multiple of q = 4: the greatest value is 8");
}

TEST(unreached_bounds, are_none_of_multiples_and_of_other_ranges) {
  for (std::string_view text : {"qrandint(0, 9, 3)", "qrandint(-8, 8, 4)", "qrandint(1, 5)",
                                "randint(1, 5)", "quniform(0, 0.9, 0.3)", "choice(1, 2)"})
    EXPECT_EQ(bounds_of_text(text), "") << text;
}

} // namespace
} // namespace tune
