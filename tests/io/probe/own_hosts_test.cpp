// SPDX-License-Identifier: BSD-3-Clause
#include "tune/io/probe/own_hosts.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <set>

namespace tune {
namespace {

TEST(own_hosts, end_with_loopback_and_repeat_nothing) {
  const auto hosts = own_hosts();

  EXPECT_THAT(hosts, testing::Contains("127.0.0.1"));
  EXPECT_EQ((std::set<std::string>{hosts.begin(), hosts.end()}.size()), hosts.size());
  const auto name = std::find(hosts.begin(), hosts.end(), "127.0.0.1");
  EXPECT_GT(name - hosts.begin(), 0) << "the machine's name comes before";
}

} // namespace
} // namespace tune
