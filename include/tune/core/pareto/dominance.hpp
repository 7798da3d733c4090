/// Points with several scores: dominance, and crowding.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace tune {

/// Whether `x` is at least as good as `y` in every score, and better in one.
[[nodiscard]] bool dominates(std::span<const double> x, std::span<const double> y);

/// `count` of the points, spread as evenly as possible: first the best in the first score, then
/// always the point farthest from all chosen ones. The distance of two points is the largest of
/// their differences, each measured by the range of that score. Earlier points come first among
/// equals.
///
/// Costs O(points · count · objectives).
/// @param values     One point after another, larger is better.
/// @param objectives Scores of each. [>= 1]
/// @param count      At most the number of points.
/// @returns indices of points, in the order of choice.
/// @source Schmucker et al., "Multi-objective Asynchronous Successive Halving", 2021
///         (arXiv:2106.12639): their epsilon-net, except for the distance.
[[nodiscard]] std::vector<std::size_t> spread(std::span<const double> values,
                                              std::uint32_t objectives, std::size_t count);

/// The fronts of the points, best first: no point of a front dominates another of it, and each
/// point is dominated by one of the previous front, if there is one. Within a front earlier points
/// come first.
///
/// Costs O(objectives · points · points of the returned fronts) at worst.
/// @param values     One point after another, larger is better, no NaN.
/// @param objectives Scores of each. [>= 1]
/// @param most       Fronts are returned until they have at least this many points together.
/// @returns indices of points.
/// @source Deb et al., "A Fast and Elitist Multiobjective Genetic Algorithm: NSGA-II", IEEE
///         Transactions on Evolutionary Computation 6, 2002: their sorting.
[[nodiscard]] std::vector<std::vector<std::size_t>>
non_dominated_fronts(std::span<const double> values, std::uint32_t objectives, std::size_t most);

/// The crowding distance of each point of one front: the sum over the scores of the distance
/// between its two neighbours, divided by the range of that score; infinite at both ends of a
/// score.
///
/// @param values     One point after another.
/// @param objectives Scores of each. [>= 1]
/// @source See `non_dominated_fronts`.
[[nodiscard]] std::vector<double> crowding(std::span<const double> values,
                                           std::uint32_t objectives);

} // namespace tune
