/// How much of the space of scores a set of points dominates.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>

namespace tune {

/// The volume of what some point dominates and what is better than the reference in every score.
///
/// Costs O(n log n) with two objectives, and at worst O(n^(m - 1)) with m of them.
/// @param values     One point after the other, larger is better. Points that are no better than
///                   the reference in some score count nothing.
/// @param objectives Scores of each. [>= 1]
/// @param reference  One number for each score.
/// @source Fonseca, Paquete, López-Ibáñez, "An Improved Dimension-Sweep Algorithm for the
///         Hypervolume Indicator", CEC 2006: its plain form, by slices along the last score.
[[nodiscard]] double hypervolume(std::span<const double> values, std::uint32_t objectives,
                                 std::span<const double> reference);

} // namespace tune
