/// Pairs of schedulers and searchers that are compared over learning curves.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quality/curves.hpp"

#include "tune/core/check/replay_check.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace tune::quality {

/// Names of the standard methods. A method is "SCHEDULER/SEARCHER", as in "asha_promotion_2/auto":
/// one of these names, or any other pair of a scheduler known here and a searcher of the catalogue.
[[nodiscard]] const std::vector<std::string>& method_names();

/// The rules of a method; ends the program if the name is unknown.
[[nodiscard]] rule_set rules_of(const std::string& method, const curve_set& curves,
                                std::uint64_t seed);

} // namespace tune::quality
