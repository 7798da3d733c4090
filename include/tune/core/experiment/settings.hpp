/// What the state machine of one run must know before it starts.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/experiment/constraints.hpp"
#include "tune/core/experiment/run_book.hpp"
#include "tune/core/ids.hpp"
#include "tune/core/resource/resources.hpp"
#include "tune/core/search/searcher.hpp"
#include "tune/core/trial/end_class.hpp"
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

/// How often each class of failure is forgiven, and how.
struct failure_policy {
  static constexpr std::uint32_t unlimited = std::numeric_limits<std::uint32_t>::max();

  /// Retries per class; indexed by `end_class`. Preempted and interrupted are unlimited.
  std::array<std::uint32_t, end_class_count> budget{};
  /// The first trial that fails for good stops everything; the experiment stays resumable.
  bool fail_fast = false;
  /// The run ends when this many trials have failed for good, alike, before any report or success.
  /// 0 = never.
  std::uint32_t max_consecutive_failures = 5;
  /// Wait before the first retry of a trial; doubled each time up to the most. 0 = none.
  std::chrono::nanoseconds backoff{0};
  std::chrono::nanoseconds most_backoff{0};
  /// Kill an attempt that reports nothing for so long. 0 = never.
  std::chrono::nanoseconds progress_timeout{0};
  /// Begin from scratch where all registered checkpoints are bad.
  bool restart_from_scratch = false;

  failure_policy();
};

/// When checkpoints are asked for.
struct checkpoint_policy {
  /// Every so many iterations. 0 = never.
  std::uint64_t frequency = 0;
  bool at_end = false;
  retention_policy retention = {};
  /// A pause keeps its checkpoint in its node's memory where there is room.
  bool pause_in_memory = false;
};

/// How a checkpoint of a running trial can be had.
enum class save_ability : std::uint8_t {
  /// Not at all.
  none,
  /// It is asked to write one at any report.
  on_request,
  /// It brings them with those of its reports that it chooses.
  with_reports,
};

/// Settings of `experiment`.
struct experiment_settings {
  /// The first is what `best` means. [>= 1]
  std::vector<objective> objectives;
  /// A report that keeps them all is better than any that does not.
  constraint_list constraints;
  /// Whether, and how, runs of one configuration are judged together.
  repeat_rule repeats = {};
  std::uint64_t seed = 0;
  /// Trials to make. 0 = until the searcher ends. Counted here for searchers that never end.
  std::uint64_t max_trials = 0;
  /// Trials that may hold or await resources at once. 0 = as many as fit.
  std::uint64_t max_concurrent = 0;
  /// Configurations of the searcher whose trials may have not ended, those that wait or are paused
  /// included; it is asked for no more than that. Where each runs several times all its runs are
  /// one. 0 = no bound of its own.
  std::uint64_t max_pending = 0;
  /// The searcher is asked for so many at once, and for the next ones when all of them have ended.
  /// Only with `max_pending`.
  bool in_batches = false;
  resource_request request;
  /// Wait for the cluster to grow instead of refusing a request that cannot fit.
  bool queue_trials = false;
  failure_policy failures;
  checkpoint_policy checkpoints;
  /// End in order at this experiment time. 0 = never.
  std::chrono::nanoseconds time_limit{0};
  /// The same once the training times of all reports sum up to this. 0 = never.
  std::chrono::nanoseconds training_limit{0};
  /// How long a searcher that has nothing yet is asked again while no trial is left. 0 = not at
  /// all.
  std::chrono::nanoseconds stall_timeout{std::chrono::seconds{600}};
  /// Which drafts a searcher that learns is asked for ahead of need.
  drafting drafts = drafting::thorough;
  /// How long what was granted to a trial may wait for its draft to be thought over; then the draft
  /// runs as it is. 0 = as long as it takes.
  std::chrono::nanoseconds draft_patience{std::chrono::milliseconds{50}};
  /// Configurations of the searcher that are wanted in all, whoever counts them; what was drawn
  /// beyond that and has not begun is withdrawn when a head opens. 0 = nobody knows.
  std::uint64_t sample_limit = 0;
  /// How long the last result of a trial that was told to stop is awaited. 0 = as long as it takes.
  std::chrono::nanoseconds stop_grace{std::chrono::seconds{10}};
  /// How long a node may take to end what was to be killed; then its attempt counts as lost with
  /// it. 0 = as long as it takes.
  std::chrono::nanoseconds kill_time{0};
  /// How much longer it may take at the end of its trial to export. 0 = nothing is exported.
  std::chrono::nanoseconds export_time{0};
  /// The formats that are exported then.
  std::vector<std::string> exports = {};
  /// How trainables save; where they do, they also restore.
  save_ability saves = save_ability::none;
  /// What people are told that the trainable is, such as "the function parabola"; may be empty.
  std::string trainable;
};

} // namespace tune
