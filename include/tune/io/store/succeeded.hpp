/// Counts the successful trials of a recorded experiment.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/io/store/store_reader.hpp"

#include <string>

namespace tune {

/// Number of trials that ended well and had a number for a metric, NaN and infinities included, by
/// the same rule as the state machine (`experiment_view::succeeded`).
/// @param metric The first objective.
/// @errors `ec::storage`.
[[nodiscard]] expected<std::uint64_t> count_succeeded(store_reader& from,
                                                      const std::string& metric);

} // namespace tune
