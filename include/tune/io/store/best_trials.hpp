/// The best trials of a recorded experiment.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

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

/// The runs of an experiment in which configurations run several times. @errors as `best_trials`.
[[nodiscard]] expected<run_book> runs_of(store_reader& from, const best_rule& rule);

} // namespace tune
