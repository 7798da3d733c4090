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

/// What became of the lease of a session.
struct heartbeat_news {
  std::uint64_t session = 0;
  /// Frozen, or lost.
  session_lease::state what = session_lease::state::frozen;
  std::string why;
};

/// Who hears of it.
using heartbeat_listener_actor = typed_actor<caf::result<void>(heartbeat_news)>;

/// Shows its head that a node lives. One per session; known to its head session.
using heartbeat_sender_actor = typed_actor<
    // Begins.
    caf::result<void>(run_atom)>;

struct heartbeat_sender_settings {
  std::uint64_t session = 0;
  liveness_rules rules;
  /// When the node asked for the session.
  instant began{0};
  heartbeat_monitor_actor heartbeat_monitor;
  /// Has the clock, and is told when the lease ends.
  std::shared_ptr<session_fence> gate;
  /// When what runs is to be ended unless a heartbeat is answered before: of the session before.
  std::optional<instant> lost_at;
};

/// Spawns a heartbeat sender. It ends when it is told to go.
[[nodiscard]] heartbeat_sender_actor spawn_heartbeat_sender(caf::actor_system& system,
                                                            heartbeat_sender_settings settings,
                                                            heartbeat_listener_actor listener);

} // namespace tune
