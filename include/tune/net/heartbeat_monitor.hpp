/// The HEARTBEAT MONITOR: notices nodes that fall silent.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/actors/clocks.hpp"
#include "tune/core/liveness/liveness_rules.hpp"
#include "tune/net/actors.hpp"

#include <functional>

namespace tune {

struct heartbeat_monitor_settings {
  liveness_rules rules;
  /// Clock that goes on while the machine sleeps.
  std::function<instant()> clock = boottime_now;
};

/// Spawns a heartbeat monitor. It ends when it is told to go.
/// @param cluster Told of each node that was silent for too long once, by `node_silent`.
[[nodiscard]] heartbeat_monitor_local_actor
spawn_heartbeat_monitor(caf::actor_system& system, heartbeat_monitor_settings settings,
                        cluster_actor cluster);

} // namespace tune
