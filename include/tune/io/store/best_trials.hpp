/// The best trials of a recorded experiment.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/experiment/settings.hpp"
#include "tune/io/store/rows.hpp"
#include "tune/io/store/store_reader.hpp"

#include <cstddef>
#include <vector>

namespace tune {

/// The trials whose best reports are the best, as `is_better` orders them; of equal ones the first
/// by number. Trials without a number for the objective are none of them.
///
/// @param limit At most so many.
/// @errors those of the reader.
[[nodiscard]] expected<std::vector<trial_row>> best_trials(store_reader& from, const objective& by,
                                                           const constraint_list& constraints,
                                                           std::size_t limit);

} // namespace tune
