// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/trial/failure_form.hpp"

#include <gtest/gtest.h>

namespace tune {
namespace {

TEST(failure_form, folds_what_differs_by_chance) {
  EXPECT_EQ(failure_form("pid 17 at 0x7f3a in r/trials/00000/attempt_1_1: trial 00000"),
            failure_form("pid 8 at 0xb0 in r/trials/00011/attempt_2_12: trial 00011"));
  EXPECT_EQ(failure_form("no /a/jobs/x-0123456789abcdef/files/d.csv"),
            failure_form("no /b/c/jobs/x-0123456789abcde0/files/d.csv"));
  EXPECT_EQ(failure_form("loss -1.5e-3 after 2s"), failure_form("loss 7 after 31ms"));
}

TEST(failure_form, keeps_where_and_how_it_failed) {
  EXPECT_NE(failure_form("exited with status 1"), failure_form("exited with status 2"));
  EXPECT_NE(failure_form("a.py:12: no"), failure_form("a.py:13: no"));
  EXPECT_NE(failure_form("no trials/00001/a"), failure_form("no trials/00001/b"));
  EXPECT_EQ(failure_form(""), "");
}

} // namespace
} // namespace tune
