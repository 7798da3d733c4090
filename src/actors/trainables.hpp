/// The trainable actors of each kind, for the node that spawns them.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "directory_maker.hpp"
#include "pattern_thread.hpp"
#include "training_threads.hpp"

#include "tune/actors/node.hpp"
#include "tune/io/checkpoint/checkpoint_directory.hpp"

namespace tune {

/// What every trainable actor is given.
struct trainable_start {
  launch_order order;
  trial_actor trial;
  std::shared_ptr<const node_settings> node;
  std::shared_ptr<const tune::job> job;
  checkpoint_service_actor checkpoint_service = {};
  /// Where actors that must not wait for the disk ask.
  directory_maker_actor maker = {};
  /// The directory below which it writes checkpoints; see `attempt_prepared`.
  std::filesystem::path checkpoints = {};
  /// The checkpoint to restore, absolute; empty: from scratch.
  std::filesystem::path restore = {};
};

/// A report as its trial hears of it, without what only some trainables know: process, checkpoint.
[[nodiscard]] attempt_report message_of(const attempt_key& attempt, const report& made);

/// Where the attempt writes its checkpoints, for one whose thread may wait for the disk.
[[nodiscard]] checkpoint_directory checkpoints_of(const trainable_start& what);
/// Their names.
[[nodiscard]] checkpoint_names names_of(const trainable_start& what);
/// Where what trials of its job pause with lies in this node's memory; empty: it goes to disk.
[[nodiscard]] std::filesystem::path memory_of(const trainable_start& what);
/// Where the attempt writes what it exports; against `trainable_start::checkpoints`.
[[nodiscard]] std::filesystem::path export_name(const trainable_start& what);
/// The same, absolute.
[[nodiscard]] std::filesystem::path export_directory(const trainable_start& what);
/// Formats that this process is to export: rank 0 does it for all.
[[nodiscard]] std::vector<std::string> exports_of(const trainable_start& what);
/// The trial's own directory.
[[nodiscard]] std::filesystem::path trial_directory(const trainable_start& what);
[[nodiscard]] trial_context context_of(const trainable_start& what);
/// The checkpoint to restore, absolute; nothing: from scratch.
[[nodiscard]] std::optional<std::filesystem::path> restore_path(const trainable_start& what);

/// Runs a C++ trainable on one of `threads`, which is its own for the attempt.
trainable_actor spawn_thread_trainable(caf::actor_system& system, trainable_start what,
                                       const std::shared_ptr<training_threads>& threads);

class kept_hosts;

/// What a program needs on its node's disk.
struct files_in_use {
  std::shared_ptr<const laid_files> brought;
  /// Its trial's directory.
  std::filesystem::path directory;
};

/// Looks whether they are all there: which are gone, in words; empty: none.
using file_looker_actor = typed_actor<caf::result<std::string>(files_in_use)>;

/// What programs of one node share.
struct process_means {
  std::shared_ptr<process_service> processes;
  std::shared_ptr<kept_hosts> hosts;
  std::shared_ptr<pattern_thread> reading;
  /// Asked where a program failed that runs on files which were brought to its node.
  file_looker_actor looker;
};

/// Runs a program. Makes the trial's directory before it returns, and starts the process then;
/// where that fails for no fault of the trial's, the actor quits with `not_ready`.
/// @errors `ec::storage`, where the directory cannot be made ready; `ec::shortage`, where it can be
///         later.
/// @param patterns How its output is read, or why that cannot be; null: it speaks the protocol.
[[nodiscard]] expected<trainable_actor>
spawn_process_trainable(caf::actor_system& system, trainable_start what, process_means means,
                        const expected<metric_pattern>* patterns);

/// Leads an actor of this program's own.
trainable_actor spawn_own_trainable(caf::actor_system& system, trainable_start what);

/// Replays recorded reports.
trainable_actor spawn_table_trainable(caf::actor_system& system, trainable_start what);

} // namespace tune
