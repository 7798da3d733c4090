/// How many trials of a recorded experiment succeeded.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/io/store/store_reader.hpp"

#include <string>

namespace tune {

/// Trials that ended well and had a number for a metric, NaN and infinities included, as the state
/// machine counted them (`experiment_view::succeeded`).
/// @param metric The first objective.
/// @errors `ec::storage`.
[[nodiscard]] expected<std::uint64_t> count_succeeded(store_reader& from,
                                                      const std::string& metric);

} // namespace tune
