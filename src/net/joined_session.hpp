/// The connection of a worker to its head, from the welcome to its end. Private to net.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "heartbeat_sender.hpp"

#include "tune/actors/firm.hpp"
#include "tune/core/liveness/liveness_rules.hpp"
#include "tune/net/checkpoint_client.hpp"
#include "tune/net/hello.hpp"
#include "tune/net/job_lookup.hpp"
#include "tune/net/output_client.hpp"

#include <chrono>
#include <memory>
#include <optional>
#include <utility>

namespace tune {

/// The node that joined, its helpers and its heartbeats. Lives in the state of the head session.
struct joined_session {
  node_registry_actor node_registry;
  head_links links;
  welcome by;
  node_local_actor node;
  job_lookup_actor finder;
  output_client_actor outputs;
  checkpoint_service_actor checkpoint_service;
  /// Null: nobody watches for silence.
  std::shared_ptr<session_fence> gate = {};
  heartbeat_sender_actor heartbeat_sender = {};
  /// Begin of the lease of this session.
  instant began{0};
  /// True while the head is out of reach and the node waits for it.
  bool is_away = false;
  /// True after the head was found again, until it has said what may go on.
  bool returns = false;
  /// Time at which the node stops waiting.
  instant lost_at{0};

  [[nodiscard]] liveness_rules rules() const {
    return {std::chrono::milliseconds{by.lost_after_ms},
            std::chrono::milliseconds{by.head_grace_ms}};
  }
  /// Whether what runs here may go on under a head that takes the place of this one.
  [[nodiscard]] bool outlives_head() const { return by.head_grace_ms > 0; }
  [[nodiscard]] std::chrono::milliseconds half_interval() const {
    return std::chrono::duration_cast<std::chrono::milliseconds>(rules().interval() / 2);
  }

  /// The head is out of reach: nothing is said to it, and the node stops waiting after a while.
  /// Requires `gate`. @returns how long it waits once its lease has run out.
  instant part(instant now) {
    is_away = true;
    gate->shut();
    const auto result = rules().wait_for_head();
    lost_at = now + rules().lease() + result;
    return result;
  }

  /// The head was found again, and numbers the session anew.
  void is_found(const node_registry_actor& at, const welcome& words, const head_links& to,
                instant since) {
    node_registry = at;
    links = to;
    by = words;
    began = since;
  }

  /// @param until As in `heartbeat_sender_settings`.
  template <class Self>
  void begin_heartbeats(Self* self, std::optional<instant> until) {
    if (!gate)
      return;
    end_heartbeats(self);
    // Set before the head can say anything about this session.
    gate->set_end(began + rules().lease());
    heartbeat_sender = spawn_heartbeat_sender(
        self->system(), {by.ticket, rules(), began, links.heartbeat_monitor, gate, until},
        caf::actor_cast<heartbeat_listener_actor>(self));
    send(self, heartbeat_sender, run_atom_v);
  }

  template <class Self>
  void end_heartbeats(Self* self) {
    if (heartbeat_sender)
      self->send_exit(std::exchange(heartbeat_sender, heartbeat_sender_actor{}),
                      caf::exit_reason::user_shutdown);
  }

  /// The head was found again: files of jobs come from its package server from now on.
  void reconnect_finder() const {
    if (finder)
      reconnect(finder, links.package_server);
  }

  /// The head has said what may go on: transfers of that begin anew at its servers.
  void reconnect_helpers() const {
    if (outputs)
      reconnect(outputs, links.output_server);
    if (checkpoint_service)
      reconnect(checkpoint_service, links.checkpoint_server);
  }

  template <class Self>
  void end_helpers(Self* self) const {
    auto end = [self](const auto& whom) {
      if (whom)
        self->send_exit(whom, caf::exit_reason::user_shutdown);
    };
    end(finder);
    end(outputs);
    end(checkpoint_service);
  }

  /// Announces the departure: the head sends nothing more, and attempts may finish.
  template <class Self>
  void announce_departure(Self* self) const {
    send(self, links.cluster, node_leaving{by.name});
    send(self, node, leave_atom_v);
  }
};

} // namespace tune
