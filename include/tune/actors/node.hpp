/// The NODE: one machine's resources and the trainables on it.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/actors/actors.hpp"
#include "tune/io/process/metric_pattern.hpp"
#include "tune/io/process/process_service.hpp"
#include "tune/io/spec/command_template.hpp"
#include "tune/trainable/trainable.hpp"

#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace tune {

/// A C++ trainable on a thread of this process.
struct run_in_thread {
  std::string trainable;
};
/// A C++ trainable in a process of its own: this program again.
struct run_in_host {
  std::string trainable;
};
/// A program.
struct run_command {
  command_template command;
  std::string ini_dir;
  /// How its output is read; nothing: it speaks the command protocol.
  std::optional<metric_pattern_options> patterns;
  std::vector<std::pair<std::string, std::string>> environment;
};
/// Recorded curves: the reports of a configuration, in order.
struct replay_table {
  std::function<std::vector<object>(const object& config)> curve_of;
};

using trainable_plan = std::variant<run_in_thread, run_in_host, run_command, replay_table>;

/// What a node must know of itself and of the experiment it works for.
struct node_settings {
  std::string name = "local";
  resources capacity;
  /// Names of the GPUs as `CUDA_VISIBLE_DEVICES` wants them, by index.
  std::vector<std::string> gpus;
  std::string experiment;
  /// The experiment's directory, absolute.
  std::filesystem::path directory;
  trainable_plan plan;
  std::shared_ptr<const trainable_registry> trainables;
  /// The first objective's metric: a program that ends well must have reported it.
  std::string objective;
  bool trial_files = true;
  std::uint64_t output_cap = 64 * 1024 * 1024;
  /// Between TERM and KILL.
  std::chrono::milliseconds kill_grace{5000};
  process_service_options processes = {};
};

/// Spawns the node and offers its capacity to the cluster. The guard process is started with the
/// first trial that needs it.
[[nodiscard]] node_actor spawn_node(caf::actor_system& system, node_settings settings,
                                    cluster_actor cluster);

} // namespace tune
