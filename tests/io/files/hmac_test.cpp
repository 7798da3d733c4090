// SPDX-License-Identifier: BSD-3-Clause
#include "tune/io/files/hmac.hpp"

#include "tune/io/files/sha256.hpp"

#include <gtest/gtest.h>

#include <set>

namespace tune {
namespace {

// Test cases 1, 2 and 6 of RFC 4231.
TEST(hmac, is_that_of_the_standard) {
  EXPECT_EQ(hmac_of(std::string(20, '\x0b'), "Hi There"),
            "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7");
  EXPECT_EQ(hmac_of("Jefe", "what do ya want for nothing?"),
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
  EXPECT_EQ(
      hmac_of(std::string(131, '\xaa'), "Test Using Larger Than Block-Size Key - Hash Key First"),
      "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54");
}

TEST(secrets, are_equal_only_to_themselves) {
  EXPECT_TRUE(are_equal_secrets("", ""));
  EXPECT_TRUE(are_equal_secrets("abc", "abc"));
  EXPECT_FALSE(are_equal_secrets("abc", "abd"));
  EXPECT_FALSE(are_equal_secrets("abc", "abcd"));
}

TEST(secrets, are_drawn_anew_each_time) {
  std::set<std::string> words;
  std::set<std::uint64_t> numbers;
  for (int i = 0; i < 1000; ++i) {
    const auto word = random_hex(32);
    EXPECT_TRUE(is_sha256(word)) << word;
    words.insert(word);
    const auto number = random_number();
    EXPECT_LT(number, std::uint64_t{1} << 63);
    numbers.insert(number);
  }

  EXPECT_EQ(words.size(), 1000u);
  EXPECT_EQ(numbers.size(), 1000u);
  EXPECT_GT(*numbers.rbegin(), std::uint64_t{1} << 62);
}

} // namespace
} // namespace tune
