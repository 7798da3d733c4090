/// The learning curves in the record of an experiment, and trainables that replay them.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/experiment/constraints.hpp"
#include "tune/core/experiment/settings.hpp"
#include "tune/core/simulate/trial_model.hpp"
#include "tune/io/store/store_reader.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace tune::cli {

/// One report, and the training time before it.
struct recorded_step {
  std::uint64_t iteration = 0;
  object metrics;
  instant takes{0};
};

/// A trial as far as it was trained.
struct recorded_trial {
  trial_id trial;
  config_ptr config;
  std::string origin;
  /// By iteration; of one that was run again, the first report.
  std::vector<recorded_step> steps;
  /// True if it ended, or failed, of its own accord: there is nothing beyond its last report.
  /// Otherwise it was stopped, and nobody knows how it would have gone on.
  bool is_whole = false;
  /// The error with which it failed for good; empty: it did not.
  std::optional<std::string> failure = {};
};

/// The report that is best by constraints and first objective.
struct recorded_best {
  trial_id trial;
  std::uint64_t iteration = 0;
  double value = 0;
  merit how;
};

/// What an experiment did.
struct recorded_run {
  /// In the order in which they were suggested, without those that never began.
  std::vector<recorded_trial> trials;
  /// Experiment time, and the training time of all reports.
  instant took{0};
  instant trained{0};
  std::uint64_t reports = 0;
  /// The last iteration that any trial reached.
  std::uint64_t horizon = 0;
  std::optional<recorded_best> best;
};

/// @errors `ec::refused` with the reason if curves of the record are not those of their
///         configurations: a trial took over another one's state, or changed its configuration.
[[nodiscard]] expected<recorded_run> read_run(store_reader& from,
                                              const std::vector<objective>& objectives,
                                              const constraint_list& constraints);

/// The better one of two reports, by constraints and first objective.
void take_better(std::optional<recorded_best>& best, trial_id trial, std::uint64_t iteration,
                 const object& metrics, const objective& by, const constraint_list& constraints);

/// What becomes of a trial that other rules train beyond its record.
enum class beyond_record : std::uint8_t {
  /// It ends there.
  ends,
  /// It trains on to the last iteration that any trial reached, as fast as before, and its reports
  /// have no metrics: it is not judged.
  trains_on,
};

/// Replays the curves: trial number i is the i-th of the record.
class recorded_model : public trial_model {
public:
  recorded_model(std::shared_ptr<const recorded_run> run, beyond_record how)
      : run_{std::move(run)}, how_{how} {}

  [[nodiscard]] simulated_step next(trial_id trial, const config_ptr& config,
                                    std::uint64_t done) override;

  /// Trials that were to go on beyond their record, with the number of reports that nobody knows.
  [[nodiscard]] const std::map<trial_id, std::uint64_t>& unknown() const { return unknown_; }
  /// Reports made, the unknown ones included.
  [[nodiscard]] std::uint64_t reports() const { return reports_; }

private:
  std::shared_ptr<const recorded_run> run_;
  beyond_record how_;
  std::map<trial_id, std::uint64_t> unknown_;
  std::uint64_t reports_ = 0;

  [[nodiscard]] simulated_step beyond(trial_id trial, const recorded_trial& x, std::uint64_t done);
};

} // namespace tune::cli
