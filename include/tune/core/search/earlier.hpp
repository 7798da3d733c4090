/// What earlier experiments saw, as values for a searcher.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/ids.hpp"
#include "tune/core/value.hpp"

#include <string>
#include <vector>

namespace tune {

/// A trial of an earlier experiment, as far as it says something about another one.
struct earlier_trial {
  trial_id trial;
  /// Of its configuration the parameters that the new space has, constants among them.
  object config;
  /// The new experiment's objective, larger is better; NaN where the trial failed.
  double value = 0;
  /// By how much it misses the new experiment's constraints, as in `observation`; empty where they
  /// are not known.
  std::vector<double> constraints = {};
  friend bool operator==(const earlier_trial&, const earlier_trial&) = default;
};

struct earlier_experiment {
  /// What people know it by: its directory.
  std::string name;
  /// In the order in which they began.
  std::vector<earlier_trial> trials;
  friend bool operator==(const earlier_experiment&, const earlier_experiment&) = default;
};

} // namespace tune
