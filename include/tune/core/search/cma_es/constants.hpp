/// The constants of CMA-ES: functions of the number of dimensions and the population.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <vector>

namespace tune::cma_es {

/// Weights and learning rates, by the symbols of the source.
///
/// @source Hansen, "The CMA Evolution Strategy: A Tutorial", arXiv:1604.00772v2, table 1.
struct constants {
  /// n, the number of dimensions. [>= 1]
  std::size_t dimensions = 1;
  /// λ, the members of a generation. [>= 4]
  std::size_t population = 4;
  /// μ, the number of members that the mean is made of.
  std::size_t parents = 2;
  /// w, one per member, best first: the weights of parents sum up to 1, the others are negative.
  std::vector<double> weights;
  double mu_eff = 1;
  double c_sigma = 0;
  double d_sigma = 1;
  double c_c = 0;
  double c_1 = 0;
  double c_mu = 0;
  /// The mean length of a standard normal vector.
  double chi = 1;

  /// @param dimensions [>= 1]
  /// @param population [>= 4]
  [[nodiscard]] static constants of(std::size_t dimensions, std::size_t population);
};

/// The usual population for n dimensions: 4 + ⌊3 ln n⌋.
[[nodiscard]] std::size_t usual_population(std::size_t dimensions);

} // namespace tune::cma_es
