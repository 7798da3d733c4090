/// The results of an experiment: all its trials, the best one, failures.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/error.hpp"
#include "tune/core/experiment/experiment.hpp"

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace tune {

/// One trial as the record has it.
struct trial_result {
  trial_id trial;
  trial_status status = trial_status::pending;
  /// The configuration of `metrics`: a trial whose configuration changes may have another one in
  /// the end.
  object config;
  /// Where the configuration comes from: "point 1", "grid", "random".
  std::string origin;
  /// The best report, by constraints and the first objective; empty if there was none.
  object metrics;
  /// `training_iteration` of `metrics`.
  std::uint64_t iteration = 0;
  /// The last report, its configuration, and the number of iterations.
  object last_metrics;
  object last_config;
  std::uint64_t iterations = 0;
  /// Training time.
  std::chrono::nanoseconds time_total{0};
  std::uint32_t failures = 0;
  /// Why the trial ended, where that needs saying.
  std::string reason;
  /// Text of the last failure; empty if there was none.
  std::string error;
  /// Directory of the checkpoint of that best report, or else of the trial's best report that has
  /// one; the newest if the trial reported no number. Empty: there is none.
  std::filesystem::path checkpoint;
  /// The iteration of that checkpoint, and the report of that iteration; empty: unknown.
  std::uint64_t checkpoint_iteration = 0;
  object checkpoint_metrics = {};
  /// Exports by format: a file or a directory each.
  std::map<std::string, std::filesystem::path> exports = {};
  /// Directory of its files.
  std::filesystem::path directory;
};

/// The trials of one experiment, by number. A value.
class result_grid {
public:
  /// Information other than the trials.
  struct frame {
    experiment_status status = experiment_status::done;
    /// Why the experiment ended with this status; may be empty.
    std::string why;
    /// The experiment's, absolute.
    std::filesystem::path directory;
    /// At least one.
    std::vector<objective> objectives;
    /// Constraints on the best trial.
    constraint_list constraints = {};
    /// Whether, and how, runs of one configuration are judged together.
    repeat_rule repeats = {};
    /// Experiment time, summed over resumes.
    std::chrono::nanoseconds elapsed{0};
    std::vector<std::string> warnings;
    /// Parameters of which some values are objects: each has one column in CSV.
    std::vector<std::string> object_parameters = {};
  };

  result_grid(frame about, std::vector<trial_result> trials);

  [[nodiscard]] experiment_status status() const { return about_.status; }
  [[nodiscard]] const std::string& why() const { return about_.why; }
  [[nodiscard]] const std::filesystem::path& directory() const { return about_.directory; }
  [[nodiscard]] const std::vector<objective>& objectives() const { return about_.objectives; }
  [[nodiscard]] const constraint_list& constraints() const { return about_.constraints; }
  [[nodiscard]] std::chrono::nanoseconds elapsed() const { return about_.elapsed; }
  /// Descriptions of what is probably not as the user meant it, one line each.
  [[nodiscard]] const std::vector<std::string>& warnings() const { return about_.warnings; }

  [[nodiscard]] const std::vector<trial_result>& trials() const { return trials_; }
  /// The trials that failed for good; `error` says why.
  [[nodiscard]] std::vector<trial_result> errors() const;

  /// The trial with the best value of the first objective in any of its reports; among equals the
  /// first. Reports that keep all constraints come before others; if none does, the one with the
  /// least `total_violation` is the best. NaN is never the best. Where configurations run several
  /// times: the best run of the configuration whose runs together are the best; see `best_runs`.
  /// @errors `ec::unknown_name` if no trial reported a number.
  [[nodiscard]] expected<trial_result> best() const;
  /// The best trial by another metric of each trial's `metrics`.
  [[nodiscard]] expected<trial_result> best(std::string_view metric, bool maximise) const;
  /// Statistics of all runs of the configuration of `best()`; nothing if each runs once, or if
  /// there is no best.
  [[nodiscard]] std::optional<run_statistics> best_runs() const;

  /// A table as `tune-node trials --output csv` prints it: trial, status, iterations, objectives,
  /// `config.<parameter>`…, reason, failures.
  [[nodiscard]] std::string to_csv() const;

private:
  [[nodiscard]] run_book book_by(std::string_view metric, bool maximise) const;

  frame about_;
  std::vector<trial_result> trials_;
};

/// Reads the grid of the experiment in `directory`, running or finished.
/// @param warnings Added to the grid.
/// @errors `ec::unreadable` if there is none; `ec::storage`.
[[nodiscard]] expected<result_grid> read_result_grid(const std::filesystem::path& directory,
                                                     std::vector<std::string> warnings = {});

} // namespace tune
