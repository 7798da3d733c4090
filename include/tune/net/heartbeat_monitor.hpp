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
  /// Goes on while the machine sleeps.
  std::function<instant()> clock = boottime_now;
};

/// Spawns a heartbeat monitor. It ends when it is told to go.
/// @param cluster Hears of nodes that were silent for too long, as `node_silent`, each once.
[[nodiscard]] heartbeat_monitor_local_actor
spawn_heartbeat_monitor(caf::actor_system& system, heartbeat_monitor_settings settings,
                        cluster_actor cluster);

} // namespace tune
