// SPDX-License-Identifier: BSD-3-Clause
#include "tune/net/heartbeat_monitor.hpp"

#include "support/deterministic_system.hpp"

#include "tune/net/system.hpp"

#include <gmock/gmock.h>

namespace tune {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

struct heartbeat_monitor_test : support::deterministic_system {
  support::mock<cluster_actor> cluster = mock_cluster();
  instant skipped{0};
  heartbeat_monitor_local_actor uut;

  heartbeat_monitor_test() {
    init_net_types();
    heartbeat_monitor_settings settings;
    settings.clock = [this] { return clock_now() + skipped; };
    uut = keep(spawn_heartbeat_monitor(*system, settings, cluster.actor));
  }

  bool beat(std::uint64_t session, bool is_frozen = false) {
    return ask_now<bool>(uut, heartbeat{session, is_frozen});
  }
};

TEST_F(heartbeat_monitor_test, tells_of_a_node_that_falls_silent_once) {
  tell(uut, enter_atom_v, std::uint64_t{1});
  pass(4s);
  EXPECT_TRUE(beat(1));

  pass(9'900ms);
  EXPECT_EQ(cluster.heard->size(), 0u);
  pass(200ms);

  auto told = cluster.take<node_silent>();
  EXPECT_EQ(told.session, 1u);
  EXPECT_THAT(told.why, HasSubstr("no heartbeat came from it for 10 s"));
  EXPECT_FALSE(beat(1));
  pass(1min);
  EXPECT_FALSE(has_timer());
}

TEST_F(heartbeat_monitor_test, counts_on_nobody_it_does_not_know) {
  EXPECT_FALSE(beat(7));
}

TEST_F(heartbeat_monitor_test, gives_a_node_up_that_does_not_hear_its_head) {
  tell(uut, enter_atom_v, std::uint64_t{1});

  EXPECT_FALSE(beat(1, true));

  EXPECT_THAT(cluster.take<node_silent>().why, HasSubstr("froze"));
  EXPECT_FALSE(beat(1, true));
}

TEST_F(heartbeat_monitor_test, blames_nobody_for_a_time_in_which_it_slept) {
  tell(uut, enter_atom_v, std::uint64_t{1});
  pass(1s);

  skipped = 1h;
  pass(2s);
  EXPECT_EQ(cluster.heard->size(), 0u);
  EXPECT_TRUE(beat(1));

  pass(11s);
  cluster.take<node_silent>();
}

TEST_F(heartbeat_monitor_test, gives_a_node_time_to_come_back_that_froze_while_its_head_slept) {
  tell(uut, enter_atom_v, std::uint64_t{1});
  pass(1s);
  skipped = 11s;

  EXPECT_FALSE(beat(1, true)); // it had waited in the connection's buffer

  EXPECT_EQ(cluster.heard->size(), 0u);
  pass(9s);
  EXPECT_EQ(cluster.heard->size(), 0u);
  pass(30s);
  cluster.take<node_silent>();
}

TEST_F(heartbeat_monitor_test, knows_how_long_a_node_was_silent_at_the_longest) {
  tell(uut, enter_atom_v, std::uint64_t{1});
  for (auto silence : {1s, 4s, 2s}) {
    pass(silence);
    EXPECT_TRUE(beat(1));
  }

  EXPECT_EQ(ask_now<std::uint64_t>(uut, leave_atom_v, std::uint64_t{1}), 4000u);
  EXPECT_EQ(ask_now<std::uint64_t>(uut, leave_atom_v, std::uint64_t{1}), 0u);
}

TEST_F(heartbeat_monitor_test, forgets_whom_nobody_waits_for) {
  tell(uut, enter_atom_v, std::uint64_t{1});

  tell(uut, leave_atom_v, std::uint64_t{1});
  pass(1min);

  EXPECT_EQ(cluster.heard->size(), 0u);
  EXPECT_FALSE(has_timer());
}

} // namespace
} // namespace tune
