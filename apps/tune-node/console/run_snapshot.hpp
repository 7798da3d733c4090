/// The facts about an experiment that people are shown: the input of all renderers. Plain data.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "console/listed_trial.hpp"
#include "tune/core/experiment/settings.hpp"
#include "tune/core/resource/resources.hpp"
#include "tune/io/store/rows.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tune::cli {

/// The best trial so far; where configurations run several times, the best run of the best one.
struct best_row {
  trial_id trial;
  config_ptr config;
  /// Metrics of the report with the best first objective. They include the objectives, even if one
  /// is automatic (`training_iteration`, …).
  metrics_ptr metrics;
  std::uint64_t iteration = 0;
  /// Directory of the checkpoint of that report, or of the trial's best report that has one; empty:
  /// none.
  std::string checkpoint;
  /// The iteration of that checkpoint, and the objectives that were reported there; may be null.
  std::uint64_t checkpoint_iteration = 0;
  metrics_ptr checkpoint_metrics;
  /// The trial's present status.
  trial_status status = trial_status::running;
  /// Statistics of all runs of its configuration; nothing if each runs once.
  std::optional<run_statistics> runs = {};
};

/// Trials that failed alike.
struct failure_group {
  /// The class, such as "user_error".
  std::string kind;
  /// The common text of their failures. External text.
  std::string text;
  /// [>= 1]
  std::vector<trial_id> trials;
};

/// A trial that no other one beats in all objectives.
struct front_row {
  trial_id trial;
  /// In the experiment's order.
  std::vector<value> objectives;
};

/// An experiment at one moment.
struct run_snapshot {
  std::string experiment;
  /// The directory as the user would name it, for commands such as `tune-node trials`.
  std::string directory;
  /// The first one determines `best`. [>= 1]
  std::vector<objective> objectives;
  /// Constraints on the best trial.
  constraint_list constraints;
  /// Parameters of which some values are objects. A configuration is shown with these whole.
  std::vector<std::string> object_parameters = {};
  /// Trials by status; indexed by `trial_status`.
  std::array<std::uint64_t, trial_status_count> counts{};
  /// Trials that were withdrawn before they began. They are not in `counts`.
  std::uint64_t withdrawn = 0;
  /// Number of trials there will be in all; nothing if unknown.
  std::optional<std::uint64_t> planned;
  /// Experiment time, summed over resumes.
  std::chrono::nanoseconds elapsed{0};
  /// Limit on `elapsed`. 0 = none.
  std::chrono::nanoseconds time_limit{0};
  std::optional<best_row> best;
  resources used;
  resources total;
  std::uint32_t nodes = 1;
  /// Nodes among them that are leaving.
  std::uint32_t leaving = 0;
  /// Counts of exports, if they were counted: at the end, and where nobody runs the experiment.
  export_counts exports;
  /// Trials worth showing, in any order; the renderers choose among them.
  std::vector<listed_trial> trials;
  /// At the end: failures of trials, the largest group first.
  std::vector<failure_group> failures;
  /// At the end: further facts about its trials, each a sentence.
  std::vector<std::string> remarks;
  /// At the end, if there are several objectives: the Pareto front.
  std::vector<front_row> pareto;
};

/// True if all objectives that both have are the same numbers.
[[nodiscard]] bool have_same_objectives(const object& x, const object& y,
                                        const std::vector<objective>& which);

/// Number of trials in `status`.
[[nodiscard]] std::uint64_t count_of(const run_snapshot& x, trial_status status);
/// Trials that ended, well or not.
[[nodiscard]] std::uint64_t ended_trials(const run_snapshot& x);
/// Trials known so far, in any status.
[[nodiscard]] std::uint64_t known_trials(const run_snapshot& x);

/// Ended trials per minute; nothing before the first end.
[[nodiscard]] std::optional<double> trials_per_minute(const run_snapshot& x);

/// Time left at the rate so far, or until the time limit, whichever is less; nothing if neither is
/// known.
[[nodiscard]] std::optional<std::chrono::nanoseconds> time_left(const run_snapshot& x);

/// What the configuration is judged by: "mean", "median", "lower bound"; "upper bound" of a metric
/// that is minimised.
[[nodiscard]] std::string judge_text(const run_statistics& x);

/// Whether the mean is what the configuration is judged by; also of a single run without a bound.
[[nodiscard]] bool is_judged_by_mean(const run_statistics& x);

/// "mean 0.93 ± 0.004 of 3 runs", "judged by the median 0.94 of 2 of 3 runs that confirm it, whose
/// mean is 0.93 ± 0.004".
[[nodiscard]] std::string runs_text(const run_statistics& x);

/// Value of the first objective that the best trial itself reported; null if there is none. For all
/// runs of its configuration, if there are several, see `runs_text`.
[[nodiscard]] value best_value(const run_snapshot& x);

/// "cpu 3/4", "gpu 0.5/2", "memory 2/8 GiB", …; only resources that the cluster has; "3
/// nodes, 1 of them leaving".
[[nodiscard]] std::vector<std::string> resource_texts(const run_snapshot& x);

/// "4 running", "2 paused", "80 pending", "1 errored": the counts above zero, most telling first.
[[nodiscard]] std::vector<std::string> count_texts(const run_snapshot& x);

} // namespace tune::cli
