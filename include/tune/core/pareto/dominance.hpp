/// Points with several scores: who is better in all of them, and how crowded it is about each.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace tune {

/// Whether `x` is at least as good as `y` in every score, and better in one.
[[nodiscard]] bool dominates(std::span<const double> x, std::span<const double> y);

/// `count` of the points, spread as evenly as may be: first that which is best in the first score,
/// then always the one farthest from all chosen. The distance of two points is the largest of their
/// differences, each measured by the range of that score. Earlier points first among equals.
///
/// Costs O(points · count · objectives).
/// @param values     One point after the other, larger is better.
/// @param objectives Scores of each. [>= 1]
/// @param count      At most as many as there are points.
/// @returns indices of points, in the order of choice.
/// @source Schmucker et al., "Multi-objective Asynchronous Successive Halving", 2021
///         (arXiv:2106.12639): their epsilon-net, but for the distance.
[[nodiscard]] std::vector<std::size_t> spread(std::span<const double> values,
                                              std::uint32_t objectives, std::size_t count);

/// The fronts of the points, best first: no point of a front is dominated by another of it, and
/// each is by one of the front before, if there is one. Within a front earlier points first.
///
/// Costs O(objectives · points · points of the fronts that are returned) at worst.
/// @param values     One point after the other, larger is better, no NaN.
/// @param objectives Scores of each. [>= 1]
/// @param most       Fronts are returned until they have at least so many points together.
/// @returns indices of points.
/// @source Deb et al., "A Fast and Elitist Multiobjective Genetic Algorithm: NSGA-II", IEEE
///         Transactions on Evolutionary Computation 6, 2002: their sorting.
[[nodiscard]] std::vector<std::vector<std::size_t>>
non_dominated_fronts(std::span<const double> values, std::uint32_t objectives, std::size_t most);

/// The crowding distance of each point of one front: the sum over the scores of how far its two
/// neighbours are apart, by the range of that score; infinite at both ends of a score.
///
/// @param values     One point after the other.
/// @param objectives Scores of each. [>= 1]
/// @source as `non_dominated_fronts`.
[[nodiscard]] std::vector<double> crowding(std::span<const double> values,
                                           std::uint32_t objectives);

} // namespace tune
