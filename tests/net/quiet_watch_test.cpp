// SPDX-License-Identifier: BSD-3-Clause
#include "tune/net/node_notes.hpp"
#include "tune/net/quiet_watch.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <limits>

namespace tune {
namespace {

using namespace std::chrono_literals;

quiet_watch::time_point at(std::chrono::milliseconds when) {
  return quiet_watch::time_point{} + 1h + when;
}

/// Heartbeats that a connection sends in a minute where something else is sent at this pace.
int sent_in_a_minute(instant lost_after, std::chrono::milliseconds pace) {
  quiet_watch uut;
  uut.bears(lost_after);
  int result = 0;
  // What is sent between two heartbeats falls into the middle.
  for (auto now = 0ms; now < 60s; now += 250ms) {
    if (now % heartbeat_interval == 0ms && !uut.may_wait(at(now))) {
      uut.spoke(at(now));
      ++result;
    }
    if (pace > 0ms && now % pace == 250ms)
      uut.spoke(at(now));
  }
  return result;
}

TEST(quiet_watch, leaves_nothing_out_while_the_peers_patience_is_unknown) {
  quiet_watch uut;
  uut.spoke(at(0ms));
  EXPECT_FALSE(uut.knows_peer());
  EXPECT_FALSE(uut.may_wait(at(1ms)));
}

TEST(quiet_watch, leaves_all_out_between_members_that_show_each_other_that_they_live) {
  EXPECT_EQ(sent_in_a_minute(10s, 2s), 1); // the first, before anything was said
  EXPECT_EQ(sent_in_a_minute(20s, 4s), 1);
  EXPECT_EQ(sent_in_a_minute(10s, 3250ms), 1);
  EXPECT_EQ(sent_in_a_minute(20s, 6500ms), 1);
}

TEST(quiet_watch, goes_on_alone_where_nothing_else_is_sent) {
  EXPECT_EQ(sent_in_a_minute(10s, 0ms), 18);
  EXPECT_EQ(sent_in_a_minute(1s, 0ms), 120);
}

TEST(quiet_watch, is_heard_twice_before_the_peer_gives_up) {
  for (instant lost_after = liveness_rules::least; lost_after < default_lost_after;
       lost_after += 500ms)
    EXPECT_LE(2 * longest_quiet(lost_after),
              connection_timeout(lost_after) - heartbeat_interval / 2)
        << lost_after.count();
}

TEST(quiet_watch, may_be_late_by_a_fifth_of_the_patience_where_that_is_long) {
  for (instant lost_after = default_lost_after; lost_after < 1min; lost_after += 500ms) {
    EXPECT_LE(longest_quiet(lost_after) + lost_after / 5, connection_timeout(lost_after) + 1ms)
        << lost_after.count();
    EXPECT_LT(calm_interval(lost_after), longest_quiet(lost_after) - heartbeat_interval)
        << lost_after.count();
  }
}

TEST(quiet_watch, takes_no_patience_out_of_range) {
  EXPECT_EQ(patience_from(-1), 0s);
  EXPECT_EQ(patience_from(2000), 2s);
  EXPECT_EQ(patience_from(std::numeric_limits<std::int64_t>::max()), liveness_rules::most);
}

TEST(node_notes, keeps_what_is_said_of_a_node_and_forgets_the_oldest) {
  node_notes<int> uut{2};
  uut.on(1).identity = "one";
  uut.on(2).identity = "two";
  uut.on(1).lost_after = 3s;
  ASSERT_NE(uut.find(1), nullptr);
  EXPECT_EQ(uut.find(1)->identity, "one");
  EXPECT_EQ(uut.find(1)->lost_after, 3s);
  uut.on(3).identity = "three";
  EXPECT_EQ(uut.find(1), nullptr);
  EXPECT_EQ(uut.size(), 2u);
  EXPECT_EQ(uut.find(3)->identity, "three");
}

} // namespace
} // namespace tune
