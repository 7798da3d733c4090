/// The searcher's reasons for a configuration, as far as it can tell.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/ids.hpp"
#include "tune/core/value.hpp"

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace tune {

/// A model's expectation of a configuration: of the first objective, larger is better, in the
/// metric's unit.
struct expectation {
  double mean = 0;
  /// Standard deviation of the model's uncertainty. [>= 0]
  double deviation = 0;
  /// The value to improve on: the model's estimate for the best configuration that was tried.
  double best = 0;
  /// E[max(0, value - best)]. [>= 0]
  double improvement = 0;
};

/// A trial with a configuration similar to the proposed one.
struct neighbour {
  trial_id trial;
  /// Root of the sum of the squared differences of the parameters: numbers differ by shares of
  /// their range, others by 1.
  double distance = 0;
  /// Correlation of both results according to a model, from 0 to 1; NaN: there is none.
  double correlation = std::numeric_limits<double>::quiet_NaN();
  /// Its first objective, larger is better; NaN if there was none.
  double value = std::numeric_limits<double>::quiet_NaN();
  /// True if `value` is no result, but an estimate of the trial's final value.
  bool is_estimate = false;
};

/// An explanation; all members except the first may be missing.
struct explanation {
  /// Method of the choice, for people: "the largest expected improvement of a Gaussian process".
  std::string how;
  /// Number of results learnt from.
  std::uint64_t results = 0;
  std::optional<expectation> expected = {};
  /// The nearest of the trials that had a result.
  std::optional<neighbour> nearest = {};
  /// Trials whose configurations were combined.
  std::vector<trial_id> parents = {};
  /// Further facts by name, not in the unit of the metric.
  object details = {};
};

} // namespace tune
