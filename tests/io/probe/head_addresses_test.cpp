// SPDX-License-Identifier: BSD-3-Clause
#include "tune/io/probe/head_addresses.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tune {
namespace {

using ::testing::HasSubstr;

TEST(head_addresses, are_one_or_more) {
  for (const auto* text : {"a:7700", "a:7700,b:7701", "[::1]:1,10.0.0.2:2,c:3"}) {
    auto read = head_addresses_from(text);
    ASSERT_TRUE(read) << to_text(read.error());
    EXPECT_EQ(to_text(*read), text);
  }
  EXPECT_EQ(head_addresses_from("a:1,b:2")->all(), (std::vector<peer_address>{{"a", 1}, {"b", 2}}));
}

TEST(head_addresses, are_refused_with_what_is_wrong) {
  for (const auto* text : {"", ",", "a:1,", ",a:1", "a:1,,b:2", "a:1;b:2", "a:1,b"})
    EXPECT_FALSE(head_addresses_from(text)) << text;
  EXPECT_THAT(head_addresses_from("a:1,b").error().detail, HasSubstr("'b' is not HOST:PORT"));
  const auto* many = "a:1,a:2,a:3,a:4,a:5,a:6,a:7,a:8,a:9";
  EXPECT_THAT(head_addresses_from(many).error().detail, HasSubstr("more than 8 addresses"));
}

} // namespace
} // namespace tune
