/// Results of earlier experiments, as values for a searcher.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/ids.hpp"
#include "tune/core/value.hpp"

#include <string>
#include <vector>

namespace tune {

/// A trial of an earlier experiment, reduced to what is relevant for another one.
struct earlier_trial {
  trial_id trial;
  /// The parameters of its configuration that the new space has, including constants.
  object config;
  /// The new experiment's objective, larger is better; NaN if the trial failed.
  double value = 0;
  /// The amounts by which it misses the new experiment's constraints, as in `observation`; empty if
  /// unknown.
  std::vector<double> constraints = {};
  friend bool operator==(const earlier_trial&, const earlier_trial&) = default;
};

struct earlier_experiment {
  /// Name for people: its directory.
  std::string name;
  /// In the order in which they began.
  std::vector<earlier_trial> trials;
  friend bool operator==(const earlier_experiment&, const earlier_experiment&) = default;
};

} // namespace tune
