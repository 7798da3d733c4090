/// Climbs a smooth function within a box.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <span>
#include <vector>

namespace tune::pb2 {

/// A differentiable function: returns its value at `x`, and fills in the gradient there.
using slope = std::function<double(std::span<const double> x, std::span<double> gradient)>;

/// A box, given by its corners; each has one number per dimension.
struct box {
  std::vector<double> low;
  std::vector<double> high;
};

struct summit {
  std::vector<double> at;
  double value = 0;
};

/// Climbs from `from` to the top of the hill there, or as far up as `most_steps` lead. Never leaves
/// the box, and never returns a point below the start.
///
/// @param least_gain A step that gains less is the last.
///
/// Uses L-BFGS with the last few steps, projected on the box: a coordinate at a border that would
/// leave the box stays. Each step is halved until it climbs enough (Armijo).
/// @source Byrd, Lu, Nocedal, Zhu, "A Limited Memory Algorithm for Bound Constrained Optimization",
///         SIAM J. Sci. Comput. 16, 1995, with a simple projection instead of the Cauchy point.
[[nodiscard]] summit climb(const slope& hill, const box& within, std::vector<double> from,
                           unsigned most_steps = 200, double least_gain = 0);

} // namespace tune::pb2
