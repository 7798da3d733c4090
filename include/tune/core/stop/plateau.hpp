/// Stops when a metric has come to rest: in one trial, or among the best of all.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/stop/stopper.hpp"

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace tune {

/// Settings of `trial_plateau`.
struct trial_plateau_settings {
  std::string metric;
  /// Population standard deviation of the window below which a trial has come to rest. [> 0]
  double std = 0.01;
  /// Number of last results examined. [>= 2]
  std::uint64_t window = 4;
  /// Number of results before which no trial is ended.
  std::uint64_t grace = 4;
  /// Bound that the last value must also have reached.
  std::optional<double> threshold;
  /// True: `threshold` is reached from below; otherwise from above.
  bool maximise = false;
};

/// Ends a trial whose last results hardly differ. Results without the metric do not count; a NaN or
/// an infinity in the window keeps the trial alive.
class trial_plateau final : public stopper {
public:
  explicit trial_plateau(trial_plateau_settings settings) : settings_{std::move(settings)} {}

  [[nodiscard]] std::optional<stop_verdict> see(const report& what) override;
  void forget(trial_id trial) override { seen_.erase(trial); }
  [[nodiscard]] std::vector<needed_metric> needs() const override;
  void describe(fingerprint& into) const override;

private:
  struct history {
    std::uint64_t results = 0;
    std::deque<double> window;
  };

  trial_plateau_settings settings_;
  std::map<trial_id, history> seen_;
};

/// Settings of `experiment_plateau`.
struct experiment_plateau_settings {
  std::string metric;
  /// Largest population standard deviation of the best values that counts as rest. [> 0]
  double std = 0.001;
  /// Number of best values, over all results, that are examined. [>= 2]
  std::uint64_t top = 10;
  /// Number of consecutive results that must find them at rest.
  std::uint64_t patience = 0;
  bool maximise = false;
};

/// Ends the experiment when its best values hardly differ. Results without the metric or with a
/// value that is not finite do not count.
class experiment_plateau final : public stopper {
public:
  explicit experiment_plateau(experiment_plateau_settings settings)
      : settings_{std::move(settings)} {}

  [[nodiscard]] std::optional<stop_verdict> see(const report& what) override;
  /// Does nothing: the values of ended trials still count.
  void forget(trial_id) override {}
  [[nodiscard]] std::vector<needed_metric> needs() const override;
  void describe(fingerprint& into) const override;

private:
  experiment_plateau_settings settings_;
  /// Sorted, best first.
  std::vector<double> best_;
  std::uint64_t at_rest_ = 0;
};

} // namespace tune
