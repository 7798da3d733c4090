/// What can be called the best so far, trial after trial: trials or, where configurations run
/// several times, configurations by all their runs.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "view/trial_table.hpp"

#include <cstddef>
#include <vector>

namespace tune::cli {

/// A configuration that runs several times, judged by what its runs come to.
struct judged_runs {
  /// The places of its runs that have a value, in the order of their numbers. [>= 1]
  std::vector<std::size_t> places;
  /// What it is judged by, in the metric's own sign.
  double value = 0;
  /// The best has 0; as `run_book` orders them.
  std::size_t rank = 0;
};

/// The configurations that have a value, in the order of their newest runs with one; none where
/// each runs once. The rank is that at present, with all runs known: no configuration is the best
/// for a while since its first run was a lucky one.
[[nodiscard]] std::vector<judged_runs> judged_configurations(const trial_table& trials);

/// The best value so far after each trial that was not withdrawn, from the first on that has one.
/// The last is what the best trial, or its configuration, is judged by.
[[nodiscard]] std::vector<double> best_after_each(const trial_table& trials);

} // namespace tune::cli
