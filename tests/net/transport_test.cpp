// SPDX-License-Identifier: BSD-3-Clause
#include "tune/net/transport.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tune {
namespace {

using ::testing::HasSubstr;

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
