/// Finds the checkpoint that belongs to a trial's best metrics.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/experiment/settings.hpp"
#include "tune/io/store/rows.hpp"
#include "tune/io/store/store_reader.hpp"

#include <memory>
#include <optional>

namespace tune {

/// A checkpoint and the report with which it was made.
struct saved_report {
  checkpoint_row checkpoint;
  /// Null if the record has no such report.
  std::shared_ptr<const report> at;
};

/// The checkpoint of the trial's best report or, if that has none, of the best report that has one,
/// in the order of `is_better`; among equal ones the older; if no report has a number for the
/// objective, the newest checkpoint. Checkpoints that the trial was cloned from count, too;
/// checkpoints in a node's memory do not.
///
/// @returns nothing if there is no checkpoint that can be restored.
/// @errors those of the reader.
[[nodiscard]] expected<std::optional<saved_report>>
best_checkpoint(store_reader& from, const trial_row& of, const objective& by,
                const constraint_list& constraints);

} // namespace tune
