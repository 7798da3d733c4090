// SPDX-License-Identifier: BSD-3-Clause
#include "tune/net/transport.hpp"

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
}

TEST(transport, is_plain_only_where_no_other_machine_comes) {
  for (const auto* host : {"127.0.0.1", "127.8.9.10", "::1", "localhost"}) {
    auto how = choose_transport({host, 1}, "/nowhere", true);
    ASSERT_TRUE(how) << host;
    EXPECT_FALSE(how->identity);
  }
  for (const auto* host :
       {"0.0.0.0", "::", "10.0.0.1", "head", "localhost.evil.org", "128.0.0.1"}) {
    auto how = choose_transport({host, 1}, "/nowhere", true);
    ASSERT_FALSE(how) << host;
    EXPECT_EQ(how.error().code, ec::refused);
  }
}

TEST(transport, wants_certificates_even_on_loopback_and_tells_how_to_make_them) {
  auto how = choose_transport({"127.0.0.1", 1}, "/nowhere", false);

  ASSERT_FALSE(how);
  EXPECT_EQ(how.error().code, ec::refused);
  EXPECT_THAT(how.error().detail, HasSubstr("/nowhere"));
  EXPECT_THAT(how.error().detail, HasSubstr("tune-node certs init"));
  EXPECT_THAT(how.error().detail, HasSubstr("tune-node certs issue"));
}

} // namespace
} // namespace tune
