/// Order of results: first those that keep all constraints, then those that miss them least.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/search/learner/archive.hpp"

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace tune::learning {

/// The amount by which each result misses its constraints, taken together: 0 if it keeps them, else
/// x / (1 + x), where x is the sum over the constraints of the missed amounts in units of their
/// mean miss. 1 if a missed amount is unknown. 0 for results without an objective.
[[nodiscard]] std::vector<double> violations(std::span<const result> of);

/// Number of objectives of the results: 1 if none finished.
[[nodiscard]] std::uint32_t objectives_of(std::span<const result> of);

/// The objectives of some finished results, one result after another, larger is better.
[[nodiscard]] std::vector<double> scores_of(std::span<const result> of,
                                            std::span<const std::size_t> which);

/// Indices of the finished results, best first: all that keep their constraints before all that do
/// not; the former by their objective, the latter by `violations`. Ties by age. With several
/// objectives the better front comes first (`non_dominated_fronts`), and each front is in the order
/// in which `spread` chooses from it.
/// @param most Number of results wanted; the rest is left out.
[[nodiscard]] std::vector<std::size_t>
ranking(std::span<const result> of, std::size_t most = std::numeric_limits<std::size_t>::max());

} // namespace tune::learning
