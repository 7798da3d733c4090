/// The HEARTBEAT SENDER: a node's heartbeats, and its lease. Private to net.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/actors/session_fence.hpp"
#include "tune/core/liveness/session_lease.hpp"
#include "tune/net/actors.hpp"

#include <memory>
#include <optional>
#include <string>

namespace tune {

/// News of the lease of a session.
struct heartbeat_news {
  std::uint64_t session = 0;
  /// Either frozen or lost.
  session_lease::state what = session_lease::state::frozen;
  std::string why;
};

/// Receiver of that news.
using heartbeat_listener_actor = typed_actor<caf::result<void>(heartbeat_news)>;

/// Shows the head that the node is alive. One per session; known to its head session only.
using heartbeat_sender_actor = typed_actor<
    // Begins.
    caf::result<void>(run_atom)>;

struct heartbeat_sender_settings {
  std::uint64_t session = 0;
  liveness_rules rules;
  /// Time at which the node asked for the session.
  instant began{0};
  heartbeat_monitor_actor heartbeat_monitor;
  /// Provides the clock, and is told when the lease ends.
  std::shared_ptr<session_fence> gate;
  /// Time, set by the previous session, at which attempts are ended unless a heartbeat is answered
  /// before.
  std::optional<instant> lost_at;
};

/// Spawns a heartbeat sender. It ends when it is told to go.
[[nodiscard]] heartbeat_sender_actor spawn_heartbeat_sender(caf::actor_system& system,
                                                            heartbeat_sender_settings settings,
                                                            heartbeat_listener_actor listener);

} // namespace tune
