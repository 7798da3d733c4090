/// Configuration of an actor system that uses the net.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/actors/system.hpp"
#include "tune/core/liveness/liveness_rules.hpp"
#include "tune/net/transport.hpp"

#include <chrono>
#include <cstdint>
#include <deque>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

namespace tune {

/// Registers the message types of the net and of the actors; once per process, before the first
/// configuration.
void init_net_types();

/// Applies `configure`, and adds the net's message types. Opens no port.
void configure_net(caf::actor_system_config& config, std::size_t threads = 0);

/// A configuration with `configure_net` applied, whose system can talk to others.
class network_config : public caf::actor_system_config {
public:
  /// @param liveness Determines when a silent connection is given up.
  explicit network_config(const transport& how, std::size_t threads = 0,
                          const liveness_rules& liveness = {});

  /// Reports a peer that does not behave as a node does: on stderr, in one line, and at most one in
  /// ten seconds, with the number of reports that were left out. From any thread.
  void complain(const std::string& what) const;

  /// Remembers the name of a node; there is a limit, beyond which the oldest is forgotten. From any
  /// thread.
  void note_identity(const caf::node_id& node, std::string who) const;
  /// Subject of the certificate that the node showed; empty: it showed none. From any thread.
  [[nodiscard]] std::string identity_of(const caf::node_id& node) const;

private:
  mutable std::mutex mutex_;
  mutable std::optional<std::chrono::steady_clock::time_point> told_;
  mutable std::uint64_t untold_ = 0;
  /// In order of arrival; the newest is last.
  mutable std::deque<std::pair<caf::node_id, std::string>> identities_;
};

} // namespace tune
