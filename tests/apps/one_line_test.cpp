// SPDX-License-Identifier: BSD-3-Clause
#include "console/one_line.hpp"

#include <gtest/gtest.h>

namespace tune::cli {
namespace {

TEST(in_one_line, makes_a_blank_of_each_line_break) {
  EXPECT_EQ(in_one_line("it ended; on stderr:\n  Traceback (most recent call last):\r\n\n  boom\n"),
            "it ended; on stderr: Traceback (most recent call last): boom");
  EXPECT_EQ(in_one_line("as it is"), "as it is");
  EXPECT_EQ(in_one_line(" \n"), "");
}

TEST(in_one_line, stays_harmless) {
  EXPECT_EQ(in_one_line("a\x1b[1m\nb\tc"), "a\\x1b[1m b\\tc");
}

} // namespace
} // namespace tune::cli
