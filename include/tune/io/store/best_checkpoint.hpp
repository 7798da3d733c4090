/// The checkpoint that goes with a trial's best metrics.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/experiment/settings.hpp"
#include "tune/io/store/rows.hpp"
#include "tune/io/store/store_reader.hpp"

#include <memory>
#include <optional>

namespace tune {

/// A checkpoint, and the report that it was made with.
struct saved_report {
  checkpoint_row checkpoint;
  /// Null where the record has none.
  std::shared_ptr<const report> at;
};

/// The checkpoint of the trial's best report, or of the best of its reports that have one, as
/// `is_better` orders them; of equal ones the older; where none of them has a number, the newest.
/// What the trial was cloned from counts, too. Checkpoints in a node's memory do not.
///
/// @returns nothing where there is no checkpoint that can be restored.
/// @errors those of the reader.
[[nodiscard]] expected<std::optional<saved_report>>
best_checkpoint(store_reader& from, const trial_row& of, const objective& by,
                const constraint_list& constraints);

/// The objectives of a report; without those that it lacks.
[[nodiscard]] object objectives_of(const report& from, const std::vector<objective>& which);

} // namespace tune
