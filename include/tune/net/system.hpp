/// Configuration of an actor system that uses the net.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/actors/system.hpp"
#include "tune/core/liveness/liveness_rules.hpp"
#include "tune/net/node_notes.hpp"
#include "tune/net/transport.hpp"

#include <chrono>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>

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

  /// Remembers the name of a node; there is a limit, more nodes than may be connected, beyond which
  /// the oldest is forgotten. From any thread.
  void note_identity(const caf::node_id& node, std::string who) const;
  /// Subject of the certificate that the node showed; empty: it showed none. From any thread.
  [[nodiscard]] std::string identity_of(const caf::node_id& node) const;

  /// This process's own; the peers that it joins, or lets in, are told.
  [[nodiscard]] instant lost_after() const { return lost_after_; }
  /// Remembers a peer's `lost_after`, likewise. From any thread.
  void note_patience(const caf::node_id& node, instant lost_after) const;
  /// Nothing: the peer has not told. From any thread.
  [[nodiscard]] std::optional<instant> patience_of(const caf::node_id& node) const;

private:
  instant lost_after_;
  mutable std::mutex mutex_;
  mutable std::optional<std::chrono::steady_clock::time_point> told_;
  mutable std::uint64_t untold_ = 0;
  mutable node_notes<caf::node_id> notes_;
};

/// The configuration of a system; null: it is another kind.
[[nodiscard]] const network_config* network_config_of(caf::actor_system& system);

} // namespace tune
