/// Which results are better: those that keep all constraints, then those that miss them least.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/search/learner/archive.hpp"

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace tune::learning {

/// By how much each result misses its constraints, all of them together: 0 where it keeps them,
/// else x / (1 + x) of the sum over the constraints of what is missed, in units of their mean miss.
/// 1 where something missed is not known. Of results that have no objective 0.
[[nodiscard]] std::vector<double> violations(std::span<const result> of);

/// How many objectives the results have: 1 where none finished.
[[nodiscard]] std::uint32_t objectives_of(std::span<const result> of);

/// The objectives of some that finished, one result after the other, larger is better.
[[nodiscard]] std::vector<double> scores_of(std::span<const result> of,
                                            std::span<const std::size_t> which);

/// Indices of those that finished, best first: every one that keeps its constraints before every
/// one that does not; those by their objective, these by `violations`. Ties by age. Of several
/// objectives the better front is first (`non_dominated_fronts`), and each front is in the order in
/// which `spread` chooses from it.
/// @param most How many are wanted; the rest is left out.
[[nodiscard]] std::vector<std::size_t>
ranking(std::span<const result> of, std::size_t most = std::numeric_limits<std::size_t>::max());

} // namespace tune::learning
