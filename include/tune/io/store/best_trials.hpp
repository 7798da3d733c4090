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

/// What "best" means in an experiment.
struct best_rule {
  objective by;
  constraint_list constraints = {};
  repeat_rule repeats = {};
};

/// The trials whose best reports are the best, as `is_better` orders them; of equal ones the first
/// by number. Trials without a number for the objective are none of them. Where configurations run
/// several times: of each the best run, ordered as `run_book` orders them.
///
/// @param limit At most so many.
/// @errors those of the reader.
[[nodiscard]] expected<std::vector<trial_row>>
best_trials(store_reader& from, const best_rule& rule, std::size_t limit);

/// A configuration, and how good it was.
struct judged_config {
  merit how;
  object config;
};

/// Each configuration with a number for the objective once, the best first: of several trials of
/// the same one the best counts, where configurations run several times what `run_book` makes of
/// them.
/// @errors as `best_trials`.
[[nodiscard]] expected<std::vector<judged_config>> judged_configs(store_reader& from,
                                                                  const best_rule& rule);

/// The runs of an experiment in which configurations run several times. @errors as `best_trials`.
[[nodiscard]] expected<run_book> runs_of(store_reader& from, const best_rule& rule);

} // namespace tune
