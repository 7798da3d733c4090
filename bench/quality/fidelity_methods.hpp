/// Pairs of schedulers and searchers that are compared over learning curves.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quality/curves.hpp"

#include "tune/core/check/replay_check.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace tune::quality {

/// "SCHEDULER/SEARCHER", as in "asha_promotion_2/auto": a name of `method_names`, or any other pair
/// of a scheduler known here and a searcher of the catalogue.
[[nodiscard]] const std::vector<std::string>& method_names();

/// Ends the program where the name means nothing.
[[nodiscard]] rule_set rules_of(const std::string& method, const curve_set& curves,
                                std::uint64_t seed);

} // namespace tune::quality
