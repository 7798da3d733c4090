/// Settings of both forms of ASHA, and the brackets that follow from them.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/error.hpp"
#include "tune/core/ids.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace tune::asha {

struct settings {
  /// Metric in which rungs are measured; it must rise.
  std::string time_attr = "training_iteration";
  /// Time at which trials end.
  double max_t = 100;
  /// Time of the lowest rung of bracket 0.
  double grace_period = 1;
  /// One trial in this many passes a rung. [> 1]
  double reduction_factor = 4;
  /// Number of brackets. [>= 1]
  std::uint32_t brackets = 1;
  /// Whether trials are stopped at `max_t`; otherwise they run on to their own end.
  bool stop_last_trials = true;
  /// Number of scores of a result that are compared. With more than one, by non-dominated rank. [>=
  /// 1]
  std::uint32_t objectives = 1;
};

/// Checks the settings beyond the ranges of single options. @errors `ec::bad_option`.
[[nodiscard]] expected<void> validate(const settings& what);

/// The rungs of each bracket, and the bracket of each trial.
class bracket_plan {
public:
  bracket_plan(const settings& what, std::uint64_t seed);

  /// Milestones of each bracket, ascending.
  [[nodiscard]] const std::vector<std::vector<double>>& milestones() const { return milestones_; }

  /// Draws the trial's bracket by its number and the seed, with a probability that falls by a
  /// factor of e for each rung fewer.
  [[nodiscard]] std::uint32_t bracket_of(trial_id trial) const;

private:
  std::uint64_t seed_;
  std::vector<std::vector<double>> milestones_;
  /// Probability of each bracket, relative to the largest.
  std::vector<double> weights_;
};

} // namespace tune::asha
