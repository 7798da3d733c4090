/// Children of two configurations.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/search/encoding/encoding.hpp"

namespace tune::nsga2 {

/// Variation of children from their parents.
struct variation {
  /// Probability that there are two parents, and not one. [0, 1]
  double crossover = 0.9;
  /// Larger values keep numbers closer to those of a parent. [>= 0]
  double crossover_index = 3;
  /// Probability that each parameter changes; 0: 1 / number of parameters. [0, 1]
  double mutation = 0;
  /// Larger values give smaller changes. [>= 0]
  double mutation_index = 5;
};

/// One of the two numbers, in [0, 1], that simulated binary crossover makes of two in [0, 1]: for a
/// uniform `share` in 0 … 1 its spread is distributed by `index`, and no child is outside.
/// @source Deb, Agrawal, "Simulated Binary Crossover for Continuous Search Space", Complex Systems
///         9, 1995; with bounds as in the authors' program for NSGA-II.
[[nodiscard]] double crossed(double x, double y, double share, double index);

/// The number in [0, 1] that polynomial mutation makes of one, for a uniform `share` in 0 … 1.
/// @source Deb, Goyal, "A Combined Genetic Adaptive Search (GeneAS) for Engineering Design", 1996;
///         with bounds as in the authors' program for NSGA-II.
[[nodiscard]] double mutated(double x, double share, double index);

/// A latent child of two latent points. Categories are those of either parent; mutated discrete
/// numbers move by at least one cell.
[[nodiscard]] cube_point child_of(const encoding& space, const cube_point& x, const cube_point& y,
                                  const variation& how, rng& from);

} // namespace tune::nsga2
