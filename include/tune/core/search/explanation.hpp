/// Why a configuration was proposed, as far as its searcher can tell.
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

/// What a model expects of a configuration: of the first objective, larger is better, in the
/// metric's unit.
struct expectation {
  double mean = 0;
  /// Standard deviation of what the model does not know. [>= 0]
  double deviation = 0;
  /// The value to be improved upon: what the model thinks of the best configuration that was tried.
  double best = 0;
  /// E[max(0, value - best)]. [>= 0]
  double improvement = 0;
};

/// A trial with a configuration that was much like the one proposed.
struct neighbour {
  trial_id trial;
  /// Root of the sum over the parameters of what they differ by, squared: of numbers by shares of
  /// their range, of others 1.
  double distance = 0;
  /// What a model thinks that the results of both have in common, from 0 to 1; NaN: it has none.
  double correlation = std::numeric_limits<double>::quiet_NaN();
  /// Its first objective, larger is better; NaN where there was none.
  double value = std::numeric_limits<double>::quiet_NaN();
  /// The value is no result, but what the trial is thought to come to.
  bool is_estimate = false;
};

/// All parts but the first may be missing.
struct explanation {
  /// What chose it, for people: "the largest expected improvement of a Gaussian process".
  std::string how;
  /// How many results were learnt from.
  std::uint64_t results = 0;
  std::optional<expectation> expected = {};
  /// Among the trials that had a result.
  std::optional<neighbour> nearest = {};
  /// Trials whose configurations it was made of.
  std::vector<trial_id> parents = {};
  /// More, by name, in no unit of the metric.
  object details = {};
};

} // namespace tune
