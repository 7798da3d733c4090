/// Services that outlive experiments: the ledger, this machine's node, the port.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/actors/node.hpp"
#include "tune/actors/scaler.hpp"
#include "tune/actors/system.hpp"
#include "tune/core/cluster/allocation_terms.hpp"
#include "tune/core/liveness/liveness_rules.hpp"
#include "tune/io/checkpoint/pause_memory.hpp"
#include "tune/io/scaling/scaling_options.hpp"
#include "tune/net/certificate_watch.hpp"
#include "tune/net/submission_actors.hpp"
#include "tune/net/transport.hpp"
#include "tune/tuner/head_mark.hpp"

#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>

namespace tune {

/// The port where workers join, and the conditions for that.
struct listen_options {
  peer_address where;
  transport how;
  /// Name of the cluster.
  std::string cluster;
  liveness_rules liveness = {};
  /// See `node_registry_settings`.
  std::string storage = {};
  std::string storage_token = {};
  /// The actor that serves clients, at a standing head.
  std::optional<submission_server_actor> submission_server = {};
  /// Told of workers that come and go, in lines for people; from another thread.
  std::function<void(const std::string&)> say = [](const std::string&) {};
  std::optional<scaling_options> scaling = {};
};

/// The actors that experiments share. Outlives `experiment_actors`.
class head_services {
public:
  /// @param node       This machine.
  /// @param works_here Whether this machine runs trials, too.
  /// @param who        Set where this head takes the place of another, or may be followed by one.
  /// @param limits     Of what experiments are granted.
  head_services(caf::actor_system& system, const node_settings& node, bool works_here = true,
                const head_identity& who = {}, const allocation_limits& limits = {});

  /// Opens a port where workers join: `prepare` and `open`.
  /// @returns the port. @errors `ec::refused`.
  [[nodiscard]] expected<std::uint16_t> listen(listen_options how);
  /// Spawns the actors that serve workers. At most once, and before any `take_in`.
  void prepare(listen_options how);
  /// Opens the port. Attempts of the head before this one are awaited from now on, so experiments
  /// must have told of theirs.
  /// @returns the port. @errors `ec::refused`.
  [[nodiscard]] expected<std::uint16_t> open();

  /// Makes all nodes work for the job from now on.
  /// @param shipment Everything workers are given of it. Not needed where none can join.
  /// @errors `ec::internal` if the shipment is invalid.
  [[nodiscard]] expected<void> take_in(std::shared_ptr<const job> work,
                                       std::optional<job_offer> shipment);
  /// Nothing of the job will be launched any more: all nodes forget it.
  void forget(const std::string& job);
  /// Gives a function that stops workers from bringing anything more of a lost attempt of this job;
  /// to be called before the files of the attempt are removed. It blocks; for any thread, as long
  /// as the system exists.
  /// @param runs_ranks What an attempt printed is still brought: by the ranks that lived on other
  ///   nodes and are being ended. A later attempt makes an end of that.
  [[nodiscard]] std::function<void(trial_id, attempt_id)>
  gives_up_attempts_of(const std::string& job, bool runs_ranks) const;

  /// Why no trial with such a request could ever start on the present nodes; empty: one could, or
  /// nobody answers.
  [[nodiscard]] std::string impossible(const resource_request& what,
                                       const node_labels& labels) const;
  /// Whether the requested amounts are free on all nodes together, and some nodes could ever grant
  /// the request; nothing if nobody answers soon.
  [[nodiscard]] std::optional<bool> has_room(const resource_request& what,
                                             const node_labels& labels) const;
  /// Resources of all nodes and how much of them is granted; nothing if nobody answers soon.
  [[nodiscard]] std::optional<cluster_status> resources() const;

  /// Tells where an experiment stands among the others, before it begins.
  void tell_standing(standing_told what, const runner_actor& whose) const;
  /// Where it stands now; nothing if nobody answers soon.
  [[nodiscard]] std::optional<allocation_view> standing_of(const runner_actor& whose) const;

  /// Experiments of the head before this one come back; until `open_queue` no other takes a place
  /// of one that is not here yet.
  void close_queue() const;
  void open_queue() const;

  /// How the cluster grows and shrinks; nothing: by no command.
  [[nodiscard]] std::optional<scaling_board::note> scaling() const;

  /// Calls back, from another thread, if an actor that nothing works without ends although nobody
  /// told it to: "the cluster could not go on: …".
  void when_broken(const std::function<void(const std::string&)>& call);
  /// Like `when_broken`, for actors that serve workers, if there is a port: trials here could go
  /// on, but checkpoints, files or output of workers would be awaited in vain. Before `listen`.
  void when_crippled(std::function<void(const std::string&)> call);

  /// Key of the launch tokens, by which workers may bring their checkpoints; see `launch_token_of`.
  [[nodiscard]] const std::string& secret() const { return who_.secret; }
  [[nodiscard]] caf::actor_system& system() const { return system_; }
  [[nodiscard]] const cluster_actor& cluster() const { return cluster_; }

  /// Sends the workers away and ends all actors. No other call may follow.
  void close();
  /// Waits until the node of this machine and its processes are gone. After `close`; for an actor
  /// system that lives on.
  void await_farewell();

private:
  caf::actor_system& system_;
  /// Destroyed last.
  pause_memory memory_ = pause_memory::make();
  /// Set before anybody can join.
  std::shared_ptr<std::function<void(const std::string&)>> say_
      = std::make_shared<std::function<void(const std::string&)>>([](const std::string&) {});
  cluster_actor cluster_;
  node_local_actor node_;
  std::optional<package_server_local_actor> package_server_;
  std::optional<output_server_local_actor> output_server_;
  std::optional<checkpoint_server_local_actor> checkpoint_server_;
  std::optional<heartbeat_monitor_local_actor> heartbeat_monitor_;
  std::optional<scaler_actor> scaler_;
  std::shared_ptr<scaling_board> scaling_;
  head_identity who_;
  std::optional<listen_options> port_;
  std::optional<node_registry_actor> node_registry_;
  std::unique_ptr<certificate_watch> certificates_;
  std::function<void(const std::string&)> on_crippled_ = [](const std::string&) {};

  void begin_scaling(std::uint16_t port);
  [[nodiscard]] std::set<std::string> begin_wait(const liveness_rules& rules) const;
};

} // namespace tune
