// SPDX-License-Identifier: BSD-3-Clause
#include "../../src/net/head_silence.hpp"

#include <gtest/gtest.h>

namespace tune {
namespace {

/// Checks until the silence is too long. @returns how many that took; most + 2: it never is.
unsigned checks_until_too_long(head_silence& uut) {
  unsigned result = 1;
  while (result < head_silence::most + 2 && !uut.is_too_long(true))
    ++result;
  return result;
}

TEST(head_silence, is_too_long_after_the_patience) {
  head_silence uut;

  EXPECT_EQ(checks_until_too_long(uut), head_silence::most + 1);
}

TEST(head_silence, begins_anew_with_each_word) {
  head_silence uut;
  for (unsigned i = 0; i < head_silence::most; ++i)
    EXPECT_FALSE(uut.is_too_long(true));

  uut.end();

  EXPECT_EQ(checks_until_too_long(uut), head_silence::most + 1);
}

TEST(head_silence, begins_anew_where_no_word_is_due) {
  head_silence uut;
  for (unsigned i = 0; i < head_silence::most; ++i)
    EXPECT_FALSE(uut.is_too_long(true));

  EXPECT_FALSE(uut.is_too_long(false));

  EXPECT_EQ(checks_until_too_long(uut), head_silence::most + 1);
}

TEST(head_silence, arranges_one_check_at_a_time) {
  head_silence uut;

  EXPECT_TRUE(uut.is_to_be_counted());
  EXPECT_FALSE(uut.is_to_be_counted());
  static_cast<void>(uut.is_too_long(true));
  EXPECT_TRUE(uut.is_to_be_counted());
}

TEST(head_silence, tells_the_patience_in_seconds) {
  EXPECT_EQ(head_silence::text(std::chrono::minutes{1}), "the head said nothing of it for 60 s");
}

} // namespace
} // namespace tune
