/// The trainable actors of each kind, for the node that spawns them.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "directory_maker.hpp"
#include "pattern_thread.hpp"
#include "training_threads.hpp"

#include "tune/actors/node.hpp"
#include "tune/io/checkpoint/checkpoint_directory.hpp"

namespace tune {

/// Everything a trainable actor is given.
struct trainable_start {
  launch_order order;
  trial_actor trial;
  std::shared_ptr<const node_settings> node;
  std::shared_ptr<const tune::job> job;
  checkpoint_service_actor checkpoint_service = {};
  /// Creates and removes directories for actors that must not wait for the disk.
  directory_maker_actor maker = {};
  /// The directory below which the attempt writes checkpoints; see `attempt_prepared`.
  std::filesystem::path checkpoints = {};
  /// The checkpoint to restore, absolute; empty: from scratch.
  std::filesystem::path restore = {};
};

/// A report as its trial receives it, without fields that only some trainables know: process,
/// checkpoint.
[[nodiscard]] attempt_report message_of(const attempt_key& attempt, const report& made);

/// The attempt's checkpoint directory, for a trainable whose thread may wait for the disk.
[[nodiscard]] checkpoint_directory checkpoints_of(const trainable_start& what);
/// Names of the attempt's checkpoints.
[[nodiscard]] checkpoint_names names_of(const trainable_start& what);
/// Directory in this node's memory for checkpoints of the job's paused trials; empty: they go to
/// disk.
[[nodiscard]] std::filesystem::path memory_of(const trainable_start& what);
/// Directory that the attempt exports to, relative to `trainable_start::checkpoints`.
[[nodiscard]] std::filesystem::path export_name(const trainable_start& what);
/// Absolute path of `export_name`.
[[nodiscard]] std::filesystem::path export_directory(const trainable_start& what);
/// The formats that this process is to export: rank 0 exports for all ranks.
[[nodiscard]] std::vector<std::string> exports_of(const trainable_start& what);
/// The trial's own directory.
[[nodiscard]] std::filesystem::path trial_directory(const trainable_start& what);
[[nodiscard]] trial_context context_of(const trainable_start& what);
/// The checkpoint to restore, absolute; nothing: from scratch.
[[nodiscard]] std::optional<std::filesystem::path> restore_path(const trainable_start& what);

/// Runs a C++ trainable on one of `threads`, which serves only this attempt meanwhile.
trainable_actor spawn_thread_trainable(caf::actor_system& system, trainable_start what,
                                       const std::shared_ptr<training_threads>& threads);

class kept_hosts;
class device_meter;

/// Files that a program needs on its node's disk.
struct files_in_use {
  std::shared_ptr<const laid_files> brought;
  /// The trial's directory.
  std::filesystem::path directory;
};

/// Checks whether all of the files are there: answers which are gone, in words; empty: none.
using file_looker_actor = typed_actor<caf::result<std::string>(files_in_use)>;

/// Resources shared by the programs of one node.
struct process_means {
  std::shared_ptr<process_service> processes;
  std::shared_ptr<kept_hosts> hosts;
  std::shared_ptr<pattern_thread> reading;
  std::shared_ptr<device_meter> devices;
  /// Asked when a program failed that runs on files brought to its node.
  file_looker_actor looker;
};

/// Runs a program. Creates the trial's directory before it returns, and then starts the process; if
/// that fails for no fault of the trial's, the actor quits with `not_ready`.
/// @errors `ec::storage` if the directory cannot be prepared; `ec::shortage` if it can be later.
/// @param patterns Patterns for reading its output, or why there are none; null: it speaks the
///                 protocol.
[[nodiscard]] expected<trainable_actor>
spawn_process_trainable(caf::actor_system& system, trainable_start what, process_means means,
                        const expected<metric_pattern>* patterns);

/// Leads a program's own actor through an attempt.
trainable_actor spawn_own_trainable(caf::actor_system& system, trainable_start what);

/// Replays recorded reports.
trainable_actor spawn_table_trainable(caf::actor_system& system, trainable_start what);

} // namespace tune
