/// Counts the trials of a recorded experiment that had a number for a metric.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/io/store/store_reader.hpp"

#include <cstdint>
#include <string>

namespace tune {

/// Trials that had a number for a metric, NaN and infinities included.
struct trials_with_number {
  /// Those that ended well: `experiment_view::succeeded`.
  std::uint64_t succeeded = 0;
  /// All but those that failed: `experiment_view::promising`.
  std::uint64_t promising = 0;
};

/// Counts by the same rules as the state machine.
/// @param metric The first objective.
/// @errors `ec::storage`.
[[nodiscard]] expected<trials_with_number> count_with_number(store_reader& from,
                                                             const std::string& metric);

} // namespace tune
