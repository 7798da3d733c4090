/// The NODE: one machine's resources and the trainables on it.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/actors/actors.hpp"
#include "tune/actors/job.hpp"
#include "tune/actors/session_fence.hpp"
#include "tune/io/process/process_service.hpp"
#include "tune/trainable/trainable.hpp"

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace tune {

/// What a node must know of itself.
struct node_settings {
  std::string name = "local";
  resources capacity;
  /// Names of the GPUs as `CUDA_VISIBLE_DEVICES` wants them, by index.
  std::vector<std::string> gpus;
  std::shared_ptr<const trainable_registry> trainables;
  /// Jobs known from the beginning.
  std::vector<std::shared_ptr<const job>> jobs;
  /// Asked for others; null: there are none.
  job_lookup_actor finder = {};
  /// Brings what programs print to the head; null: their files are where they belong.
  output_client_actor outputs = {};
  /// Sees to checkpoints; null: a checkpoint service of its own, since they are where they belong.
  checkpoint_service_actor checkpoint_service = {};
  /// The session in which it comes in; 0: its head is in this process.
  std::uint64_t session = 0;
  /// Whether it may speak to its head, which is on another node; null: it always may.
  std::shared_ptr<session_fence> gate = {};
  /// Called by the node when its head has said what may go on, and the gate is open.
  std::function<void()> when_open = {};
  process_service_options processes = {};
  /// Directory on memory-backed storage for what paused trials keep there, its own; empty: the disk
  /// has to do. Whoever gives it removes it at last.
  std::filesystem::path memory = {};
  /// Told, from any thread, what somebody should look at: processes that may have been left behind
  /// and must be left alone. Null: nobody is.
  std::function<void(const std::string&)> tell = {};
  /// Runs its processes; null: started with the first that is needed.
  std::shared_ptr<process_service> service = {};
};

/// What `node` offers: its capacity, and a label for each trainable that it can run.
[[nodiscard]] node_offer offer_of(const node_settings& node);

/// The label that only the node `name` bears.
[[nodiscard]] std::string node_label(const std::string& name);

/// The label of nodes that know the registered trainable `name`.
[[nodiscard]] std::string trainable_label(const std::string& name);

/// Spawns a node. Whoever composes it offers it to the cluster. The guard process is started with
/// the first trial that needs it.
/// @param cluster Hears of leases that are free again.
[[nodiscard]] node_actor spawn_node(caf::actor_system& system, node_settings settings,
                                    cluster_for_nodes_actor cluster);
/// The same, for whoever tells it of jobs later.
[[nodiscard]] node_local_actor spawn_local_node(caf::actor_system& system, node_settings settings,
                                                cluster_for_nodes_actor cluster);

} // namespace tune
