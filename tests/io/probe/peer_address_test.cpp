// SPDX-License-Identifier: BSD-3-Clause
#include "tune/io/probe/peer_address.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tune {
namespace {

using ::testing::HasSubstr;

TEST(peer_address, is_a_host_and_a_port) {
  auto is = [](const std::string& text, const std::string& host, std::uint16_t port) {
    auto read = peer_address_from(text);
    ASSERT_TRUE(read) << to_text(read.error());
    EXPECT_EQ(read->host, host);
    EXPECT_EQ(read->port, port);
  };

  is("head:7700", "head", 7700);
  is("127.0.0.1:0", "127.0.0.1", 0);
  is("[::1]:65535", "::1", 65535);
}

TEST(peer_address, is_refused_with_what_is_wrong) {
  auto why = [](const std::string& text) {
    auto read = peer_address_from(text);
    return read ? std::string{"read"} : read.error().detail;
  };

  EXPECT_THAT(why("head"), HasSubstr("the port is missing"));
  EXPECT_THAT(why("head:"), HasSubstr("a number from 0 to 65535"));
  EXPECT_THAT(why("head:65536"), HasSubstr("a number from 0 to 65535"));
  EXPECT_THAT(why("head:7x"), HasSubstr("a number from 0 to 65535"));
  EXPECT_THAT(why("::1:7700"), HasSubstr("stands in brackets"));
  EXPECT_THAT(why(":7700"), HasSubstr("the host is missing"));
  EXPECT_THAT(why("a b:7700"), HasSubstr("no blanks"));
  EXPECT_THAT(why("\x1b[2J:7700"), HasSubstr("'\\x1b[2J:7700' is not HOST:PORT"));
}

} // namespace
} // namespace tune
