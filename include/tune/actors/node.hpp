/// The NODE: one machine's resources and the trainables on it.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/actors/actors.hpp"
#include "tune/actors/job.hpp"
#include "tune/actors/session_fence.hpp"
#include "tune/core/cluster/node_labels.hpp"
#include "tune/io/process/process_service.hpp"
#include "tune/trainable/trainable.hpp"

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace tune {

/// Settings of a node.
struct node_settings {
  std::string name = "local";
  resources capacity;
  /// What people say of it: see `given_label`.
  node_labels labels = {};
  /// Names of the GPUs as `CUDA_VISIBLE_DEVICES` wants them, by index.
  std::vector<std::string> gpus;
  std::shared_ptr<const trainable_registry> trainables;
  /// Jobs known from the start.
  std::vector<std::shared_ptr<const job>> jobs;
  /// Asked for jobs not in `jobs`; null: there are no others.
  job_lookup_actor finder = {};
  /// Brings the output of programs to the head; null: the output files are already where they
  /// belong.
  output_client_actor outputs = {};
  /// Looks after checkpoints; null: the node spawns a checkpoint service of its own, since
  /// checkpoints are already where they belong.
  checkpoint_service_actor checkpoint_service = {};
  /// The session in which the node joins; 0: its head is in this process.
  std::uint64_t session = 0;
  /// Tells whether the node may speak to its head on another node; null: it always may.
  std::shared_ptr<session_fence> gate = {};
  /// Called by the node when its head has said what may go on, and `gate` is open.
  std::function<void()> when_open = {};
  /// Called by the node with true when the first lease comes, and with false when the last has
  /// gone; null: nobody wants to know.
  std::function<void(bool)> when_busy = {};
  process_service_options processes = {};
  /// Directory on memory-backed storage, used by this node only, for the checkpoints of paused
  /// trials; empty: they go to disk. Whoever passes it removes it in the end.
  std::filesystem::path memory = {};
  /// Called, from any thread, with texts for the user: processes that may have been left behind and
  /// must be left alone. Null: nobody is told.
  std::function<void(const std::string&)> tell = {};
  /// Runs the node's processes; null: started with the first process.
  std::shared_ptr<process_service> service = {};
};

/// The offer of `node`: its capacity, and a label for each trainable that it can run.
[[nodiscard]] node_offer offer_of(const node_settings& node);

/// Spawns a node. Its creator offers it to the cluster. The guard process is started with the first
/// trial that needs it.
/// @param cluster Told of leases that are free again.
[[nodiscard]] node_actor spawn_node(caf::actor_system& system, node_settings settings,
                                    cluster_for_nodes_actor cluster);
/// Like `spawn_node`, for a caller that tells the node of jobs later.
[[nodiscard]] node_local_actor spawn_local_node(caf::actor_system& system, node_settings settings,
                                                cluster_for_nodes_actor cluster);

} // namespace tune
