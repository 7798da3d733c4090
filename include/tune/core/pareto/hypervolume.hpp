/// Volume of the part of the score space that a set of points dominates.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>

namespace tune {

/// The volume of the region that some point dominates and that is better than the reference in
/// every score.
///
/// Costs O(n log n) with two objectives, and at worst O(n^(m - 1)) with m of them.
/// @param values     One point after another, larger is better. Points that are no better than the
///                   reference in some score count nothing.
/// @param objectives Scores of each. [>= 1]
/// @param reference  One number for each score.
/// @source Fonseca, Paquete, López-Ibáñez, "An Improved Dimension-Sweep Algorithm for the
///         Hypervolume Indicator", CEC 2006: its plain form, by slices along the last score.
[[nodiscard]] double hypervolume(std::span<const double> values, std::uint32_t objectives,
                                 std::span<const double> reference);

} // namespace tune
