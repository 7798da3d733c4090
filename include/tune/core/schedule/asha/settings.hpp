/// What both forms of ASHA are told, and the brackets that follow from it.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/error.hpp"
#include "tune/core/ids.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace tune::asha {

struct settings {
  /// Metric that the rungs are measured in; it must rise.
  std::string time_attr = "training_iteration";
  /// Where trials end.
  double max_t = 100;
  /// The lowest rung of bracket 0.
  double grace_period = 1;
  /// One trial in so many passes a rung. [> 1]
  double reduction_factor = 4;
  /// [>= 1]
  std::uint32_t brackets = 1;
  /// Whether trials are stopped at `max_t`; otherwise they run on to their own end.
  bool stop_last_trials = true;
  /// How many scores of a result are compared. With more than one, by non-dominated rank. [>= 1]
  std::uint32_t objectives = 1;
  /// As `scheduler_context::heeds_no_clients`: a trial that runs again after its end, or that a
  /// client lets go on, waits at its rung, and is not judged again where it was judged before.
  bool heeds_no_clients = false;
};

/// Checks what the ranges of single options do not. @errors `ec::bad_option`.
[[nodiscard]] expected<void> validate(const settings& what);

/// The rungs of each bracket, and which bracket a trial is in.
class bracket_plan {
public:
  bracket_plan(const settings& what, std::uint64_t seed);

  /// Of each bracket, ascending.
  [[nodiscard]] const std::vector<std::vector<double>>& milestones() const { return milestones_; }

  /// Draws the trial's bracket by its number and the seed, with a probability that falls by e for
  /// each rung less.
  [[nodiscard]] std::uint32_t bracket_of(trial_id trial) const;

private:
  std::uint64_t seed_;
  std::vector<std::vector<double>> milestones_;
  /// Chance of each bracket, relative to the largest.
  std::vector<double> weights_;
};

} // namespace tune::asha
