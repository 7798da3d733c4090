// SPDX-License-Identifier: BSD-3-Clause
#include "../../src/net/port_connections.hpp"

#include <gtest/gtest.h>

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <memory>
#include <string>
#include <vector>

namespace tune::detail {
namespace {

using namespace std::chrono_literals;

port_connections::time_point moment(std::chrono::seconds after) {
  return port_connections::time_point{after};
}

/// A client in a table of connections.
struct visitor {
  std::array<int, 2> ends{-1, -1};
  io_buffer next;
  std::unique_ptr<connection_pass> pass;

  explicit visitor(port_connections& at, port_connections::time_point now = {}) {
    EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()), 0);
    pass = at.admit(ends[0], now);
    pass->sends(next);
  }
  ~visitor() {
    pass.reset();
    ::close(ends[0]);
    ::close(ends[1]);
  }
  visitor(const visitor&) = delete;
  visitor& operator=(const visitor&) = delete;

  void greet(const std::string& certificate) const {
    pass->heard([&] { return certificate; });
    pass->greeted();
  }
  /// Adds so many bytes to be sent. @returns whether the connection goes on.
  bool collect(std::size_t bytes) {
    next.resize(next.size() + bytes);
    return pass->collected();
  }
  /// Simulates CAF when the socket takes no more.
  void send_what_was_collected() {
    pass->wrote(0);
    next.clear();
  }
  [[nodiscard]] bool is_hung_up() const {
    char byte = 0;
    return ::recv(ends[1], &byte, 1, MSG_DONTWAIT) == 0;
  }
};

class port_connections_test : public testing::Test {
protected:
  std::vector<std::string> told;

  std::shared_ptr<port_connections> with(const port_rules& rules) {
    return std::make_shared<port_connections>(rules,
                                              [this](const std::string& x) { told.push_back(x); });
  }
};

TEST_F(port_connections_test, bears_one_message_of_any_size_and_no_second_one) {
  const auto at = with({{}, {10, 100, 1'000'000}});
  visitor slow{*at};
  slow.greet("a");

  EXPECT_TRUE(slow.collect(10'000));
  EXPECT_FALSE(slow.is_hung_up());
  EXPECT_FALSE(slow.collect(1));

  EXPECT_TRUE(slow.is_hung_up());
  EXPECT_FALSE(slow.collect(1));
  ASSERT_EQ(told.size(), 1U);
  EXPECT_NE(told.front().find("was hung up on: it leaves 0 MiB unread"), std::string::npos);
}

TEST_F(port_connections_test, counts_what_is_under_way) {
  const auto at = with({{}, {10, 100, 1'000'000}});
  visitor slow{*at};
  EXPECT_TRUE(slow.collect(80));
  slow.send_what_was_collected();
  EXPECT_TRUE(slow.collect(30));
  slow.pass->wrote(60);
  EXPECT_TRUE(slow.collect(20));

  EXPECT_FALSE(slow.collect(1));
}

TEST_F(port_connections_test, forgets_what_was_read) {
  const auto at = with({{}, {10, 100, 150}});
  visitor quick{*at};
  for (int i = 0; i < 100; ++i) {
    EXPECT_TRUE(quick.collect(90));
    quick.send_what_was_collected();
    quick.pass->wrote(0);
  }
  EXPECT_TRUE(told.empty());
}

TEST_F(port_connections_test, hangs_up_on_the_slowest_of_many_slow_readers) {
  const auto at = with({{}, {10, 100, 150}});
  visitor first{*at};
  visitor slowest{*at};
  visitor last{*at};
  first.greet("a");
  slowest.greet("b");
  last.greet("c");
  EXPECT_TRUE(first.collect(50));
  EXPECT_TRUE(slowest.collect(60));

  EXPECT_TRUE(last.collect(50));

  EXPECT_TRUE(slowest.is_hung_up());
  EXPECT_FALSE(slowest.collect(1));
  EXPECT_TRUE(first.collect(1));
  ASSERT_EQ(told.size(), 1U);
}

TEST_F(port_connections_test, has_those_who_left_weigh_nothing) {
  const auto at = with({{std::chrono::hours{1}, 2}, {2, 100, 150}});
  visitor stays{*at};
  for (int i = 0; i < 10; ++i) {
    visitor goes{*at};
    EXPECT_TRUE(goes.collect(90));
    goes.greet("a");
  }
  EXPECT_FALSE(stays.is_hung_up());
  EXPECT_TRUE(told.empty());
}

TEST_F(port_connections_test, hangs_up_on_strangers_whose_time_is_up_and_not_on_members) {
  port_rules rules;
  rules.strangers.patience = 10s;
  const auto at = with(rules);
  visitor stranger{*at, moment(0s)};
  visitor member{*at, moment(1s)};
  visitor later{*at, moment(4s)};
  stranger.pass->heard([] { return std::string{"a"}; });
  member.greet("a");

  EXPECT_EQ(at->hang_up_on_late_strangers(moment(9s)), 1s);
  EXPECT_FALSE(stranger.is_hung_up());
  EXPECT_EQ(at->hang_up_on_late_strangers(moment(10s)), 4s);

  EXPECT_TRUE(stranger.is_hung_up());
  EXPECT_FALSE(member.is_hung_up());
  EXPECT_FALSE(later.is_hung_up());
}

TEST_F(port_connections_test, wants_looks_while_there_are_strangers) {
  const auto at = with({});
  {
    visitor first{*at, moment(0s)};
    visitor second{*at, moment(0s)};
    EXPECT_TRUE(at->wants_looks());
    EXPECT_FALSE(at->wants_looks());
    EXPECT_TRUE(at->hang_up_on_late_strangers(moment(1s)));
    EXPECT_FALSE(at->wants_looks());
  }

  EXPECT_EQ(at->hang_up_on_late_strangers(moment(2s)), std::nullopt);
  EXPECT_TRUE(at->wants_looks());
}

TEST_F(port_connections_test, leaves_descriptors_to_other_work) {
  ::rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
  auto few = before;
  for (const auto& [descriptors, members] :
       {std::pair<::rlim_t, std::size_t>{1024, 582}, {300, 100}, {90, 8}}) {
    few.rlim_cur = descriptors;
    ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &few), 0);
    EXPECT_EQ(member_rules::of_this_process().most, members);
  }
  EXPECT_EQ(::setrlimit(RLIMIT_NOFILE, &before), 0);
}

} // namespace
} // namespace tune::detail
