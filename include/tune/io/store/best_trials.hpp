/// The best trials of a recorded experiment.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/experiment/constraints.hpp"
#include "tune/core/experiment/settings.hpp"
#include "tune/io/store/rows.hpp"
#include "tune/io/store/store_reader.hpp"

#include <cstddef>
#include <vector>

namespace tune {

/// The definition of "best" in an experiment.
struct best_rule {
  objective by;
  constraint_list constraints = {};
  repeat_rule repeats = {};
};

/// The best trials by their best reports, in the order of `is_better`; equal ones by trial number.
/// Trials without a number for the objective are left out. If configurations run several times, the
/// result has the best run of each, in the order of `run_book`.
///
/// @param limit Maximum number of trials.
/// @errors those of the reader.
[[nodiscard]] expected<std::vector<trial_row>>
best_trials(store_reader& from, const best_rule& rule, std::size_t limit);

/// A configuration and its merit.
struct judged_config {
  merit how;
  object config;
};

/// All configurations with a number for the objective, each once, the best first. The best of
/// several trials of the same configuration counts; if configurations run several times, the merit
/// that `run_book` computes.
/// @errors as `best_trials`.
[[nodiscard]] expected<std::vector<judged_config>> judged_configs(store_reader& from,
                                                                  const best_rule& rule);

/// The runs of an experiment in which configurations run several times. @errors as `best_trials`.
[[nodiscard]] expected<run_book> runs_of(store_reader& from, const best_rule& rule);

} // namespace tune
