/// DEHB as a scheduler and a searcher that know each other's plan: for comparison, not for use.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/check/replay_check.hpp"
#include "tune/core/space/space.hpp"

#include <cstdint>
#include <memory>

namespace tune::quality {

/// Differential evolution in HyperBand's brackets.
///
/// Each trial is trained from scratch for the budget that its number has in the plan: brackets from
/// the largest to the smallest, again and again, each rung by rung. One population per budget, as
/// large as its largest rung. The first bracket is successive halving over random configurations,
/// whose members are promoted by training anew, each rung once the one below is over. After that a
/// trial is the crossover (binomial, CR = .5) of the next member in its budget's population, the
/// target, with a mutant (rand/1, F = .5) of the best of the population below, as many as the rung
/// has trials, filled up with others to three; it takes the place of its target unless it is worse.
/// Genes beyond [0, 1] are drawn anew; categories and whole numbers are cells of it.
///
/// @source Awad, Mallik, Hutter, "DEHB: Evolutionary Hyperband for Scalable, Robust and Efficient
///         Hyperparameter Optimization", IJCAI 2021, with its defaults.
[[nodiscard]] rule_set dehb_rules(const std::shared_ptr<const search_space>& space,
                                  std::uint64_t most, double factor, std::uint64_t seed);

} // namespace tune::quality
