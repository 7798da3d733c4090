/// The settings that the state machine of one run needs before it starts.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/experiment/constraints.hpp"
#include "tune/core/experiment/run_book.hpp"
#include "tune/core/ids.hpp"
#include "tune/core/resource/resources.hpp"
#include "tune/core/search/searcher.hpp"
#include "tune/core/trial/end_class.hpp"
#include "tune/core/trial/report.hpp"
#include "tune/core/trial/retention.hpp"

#include <array>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace tune {

/// One thing to optimise.
struct objective {
  std::string metric;
  bool maximise = true;
  friend bool operator==(const objective&, const objective&) = default;
};

/// The values of the objectives as they were reported; missing ones are left out.
[[nodiscard]] object objectives_of(const report& from, const std::vector<objective>& which);

/// Retries for each class of failure, and their timing.
struct failure_policy {
  static constexpr std::uint32_t unlimited = std::numeric_limits<std::uint32_t>::max();

  /// Retries per class; indexed by `end_class`. Preempted and interrupted are unlimited.
  std::array<std::uint32_t, end_class_count> budget{};
  /// The first failure of a trial, but for lost nodes, stops the experiment, which stays resumable.
  bool fail_fast = false;
  /// The run ends once this many trials in a row have failed for good with the same error, before
  /// any report or success. 0 = never.
  std::uint32_t max_consecutive_failures = 5;
  /// Wait before the first retry of a trial; doubled each time, up to `most_backoff`. 0 = none.
  std::chrono::nanoseconds backoff{0};
  std::chrono::nanoseconds most_backoff{0};
  /// Kill an attempt that reports nothing for this long. 0 = never.
  std::chrono::nanoseconds progress_timeout{0};
  /// Start from scratch if all registered checkpoints are bad.
  bool restart_from_scratch = false;

  failure_policy();
};

/// Times at which checkpoints are requested, and which are kept.
struct checkpoint_policy {
  /// Iterations between two checkpoints. 0 = never.
  std::uint64_t frequency = 0;
  bool at_end = false;
  retention_policy retention = {};
  /// A pause keeps its checkpoint in its node's memory if there is room.
  bool pause_in_memory = false;
};

/// Ways to save a running trial.
enum class save_ability : std::uint8_t {
  /// The trial cannot be saved.
  none,
  /// The trial writes a checkpoint at any report if asked to.
  on_request,
  /// The trial hands checkpoints over with reports of its own choice.
  with_reports,
};

/// Settings of `experiment`.
struct experiment_settings {
  /// The first one defines the best trial. [>= 1]
  std::vector<objective> objectives;
  /// A report that keeps all of them is better than any that does not.
  constraint_list constraints;
  /// Whether, and how, runs of one configuration are judged together.
  repeat_rule repeats = {};
  std::uint64_t seed = 0;
  /// Trials to make. 0 = until the searcher ends. Counted here for searchers that never end.
  std::uint64_t max_trials = 0;
  /// Trials that may hold or await resources at once. 0 = as many as fit.
  std::uint64_t max_concurrent = 0;
  /// Most configurations of the searcher that may have trials which have not ended, waiting and
  /// paused ones included; the searcher is asked for no more. All runs of a configuration count as
  /// one. 0 = no bound of its own.
  std::uint64_t max_pending = 0;
  /// The searcher is asked for `max_pending` configurations at once, and for the next ones when all
  /// of them have ended. Only with `max_pending`.
  bool in_batches = false;
  resource_request request;
  /// Wait for the cluster to grow instead of refusing a request that cannot fit.
  bool queue_trials = false;
  failure_policy failures;
  checkpoint_policy checkpoints;
  /// End in order at this experiment time. 0 = never.
  std::chrono::nanoseconds time_limit{0};
  /// End in order once the training times of all reports sum up to this. 0 = never.
  std::chrono::nanoseconds training_limit{0};
  /// Longest time to keep asking a searcher that has no suggestion while no trial is left. 0 = not
  /// at all.
  std::chrono::nanoseconds stall_timeout{std::chrono::seconds{600}};
  /// Kinds of drafts that a learning searcher is asked for ahead of need.
  drafting drafts = drafting::thorough;
  /// Longest time that resources granted to a trial wait for its draft to be thought over; then the
  /// draft runs as it is. 0 = no limit.
  std::chrono::nanoseconds draft_patience{std::chrono::milliseconds{30}};
  /// Total number of configurations wanted of the searcher, whoever counts them; those drawn beyond
  /// it that have not begun are withdrawn when a head opens. 0 = unknown.
  std::uint64_t sample_limit = 0;
  /// Number of samples that the search is expected to make in all, all runs of each configuration;
  /// for what people are told. `max_trials` comes first. 0 = unknown.
  std::uint64_t expected_samples = 0;
  /// Longest wait for the last result of a trial that was told to stop. 0 = no limit.
  std::chrono::nanoseconds stop_grace{std::chrono::seconds{10}};
  /// Longest time that a node may take to end what was to be killed; then its attempt counts as
  /// lost with the node. 0 = no limit.
  std::chrono::nanoseconds kill_time{0};
  /// Additional time at the end of a trial for its exports. 0 = nothing is exported.
  std::chrono::nanoseconds export_time{0};
  /// The formats to export then.
  std::vector<std::string> exports = {};
  /// The way trainables save; those that save can also restore.
  save_ability saves = save_ability::none;
  /// An executor runs the trials and converses with this program: it knows no commands of clients.
  bool asked = false;
  /// Description of the trainable for people, such as "the function parabola"; may be empty.
  std::string trainable;
};

} // namespace tune
