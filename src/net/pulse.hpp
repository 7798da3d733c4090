/// The PULSE: a node's heartbeats, and its lease. Private to net.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/actors/lease_gate.hpp"
#include "tune/core/liveness/node_lease.hpp"
#include "tune/net/actors.hpp"

#include <memory>
#include <optional>
#include <string>

namespace tune {

/// What became of the lease of a session.
struct pulse_news {
  std::uint64_t session = 0;
  /// Frozen, or lost.
  node_lease::state what = node_lease::state::frozen;
  std::string why;
};

/// Who hears of it.
using pulse_listener_actor = typed_actor<caf::result<void>(pulse_news)>;

/// Shows its head that a node lives. One per session; known to its connector.
using pulse_actor = typed_actor<
    // Begins.
    caf::result<void>(run_atom)>;

struct pulse_settings {
  std::uint64_t session = 0;
  liveness_rules rules;
  /// When the node asked for the session.
  instant began{0};
  watchman_actor watchman;
  /// Has the clock, and is told when the lease ends.
  std::shared_ptr<lease_gate> gate;
  /// When what runs is to be ended unless a heartbeat is answered before: of the session before.
  std::optional<instant> lost_at;
};

/// Spawns a pulse. It ends when it is told to go.
[[nodiscard]] pulse_actor spawn_pulse(caf::actor_system& system, pulse_settings settings,
                                      pulse_listener_actor listener);

} // namespace tune
