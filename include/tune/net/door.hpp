/// The DOOR: where workers come in.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/liveness/liveness_rules.hpp"
#include "tune/net/front_actors.hpp"
#include "tune/net/hello.hpp"

#include <functional>
#include <optional>
#include <string>

namespace tune {

struct door_settings {
  /// Name of the cluster; workers of others are sent away.
  std::string cluster = "default";
  build_identity build = this_build();
  /// Whom clients speak with; nothing: they are sent away.
  std::optional<front_actor> front = {};
  /// Notices nodes that fall silent; nothing: a node is lost with its connection.
  std::optional<watchman_desk_actor> watchman = {};
  liveness_rules rules = {};
  /// Tells this process from other heads; drawn once.
  std::string head = {};
  /// Hears, in a line for people, of workers that come in or are sent away; from an actor's thread.
  std::function<void(const std::string&)> say = [](const std::string&) {};
};

/// Spawns a door in front of `cluster`. Whoever publishes it opens the port. It ends when it is
/// told to go; nodes that are in stay.
///
/// Names of nodes are unique while they are in, and for twice `lost_after` beyond the end of their
/// connection: the second worker "w" becomes "w-2". A worker that comes back takes its own place.
/// Where a process has ended that ran on this machine, its node is lost at once.
/// Clients are welcomed, too, if there is a front.
/// @param links Whom the nodes speak with; the desk is the cluster's.
[[nodiscard]] door_actor spawn_door(caf::actor_system& system, door_settings settings,
                                    cluster_actor cluster, head_links links);

} // namespace tune
