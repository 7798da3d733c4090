/// The NODE REGISTRY: lets workers and clients in.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/liveness/liveness_rules.hpp"
#include "tune/net/hello.hpp"
#include "tune/net/submission_actors.hpp"

#include <functional>
#include <optional>
#include <set>
#include <string>

namespace tune {

struct node_registry_settings {
  /// Name of the cluster; workers of others are refused.
  std::string cluster = "default";
  build_identity build = this_build();
  /// Actor that clients are referred to; empty: clients are refused.
  std::optional<submission_server_actor> submission_server = {};
  /// Notices nodes that fall silent; empty: a node is lost with its connection.
  std::optional<heartbeat_monitor_local_actor> heartbeat_monitor = {};
  liveness_rules rules = {};
  /// See `welcome::head`.
  std::string head = {};
  /// Names of nodes that the head before this one had: for `rules.wait_for_nodes()` only workers
  /// that were with that head are given them.
  std::set<std::string> awaited = {};
  /// Directory of all experiments, and the text that was left there; told to those who check
  /// whether they see it, too. Empty: not told.
  std::string storage = {};
  std::string storage_token = {};
  /// Told, in a line for people, of workers that come in or are refused; from an actor's thread.
  std::function<void(const std::string&)> say = [](const std::string&) {};
};

/// Spawns a node registry in front of `cluster`. Whoever publishes it opens the port. It ends when
/// it is told to go; nodes that are in stay.
///
/// Names of nodes are unique while they are in, and for twice `lost_after` beyond the end of their
/// connection: a second worker "w" becomes "w-2". A worker that comes back takes its own place.
/// If the process of a node on this machine has ended, the node is lost at once.
/// Clients are welcomed, too, if there is a submission server.
/// @param links Actors that nodes talk to; `cluster` is told of leases and nodes.
[[nodiscard]] node_registry_actor spawn_node_registry(caf::actor_system& system,
                                                      node_registry_settings settings,
                                                      cluster_actor cluster, head_links links);

} // namespace tune
