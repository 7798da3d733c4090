/// Climbs a smooth function within a box.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <span>
#include <vector>

namespace tune::pb2 {

/// A function that can be differentiated: its value at `x`; fills in the gradient there.
using slope = std::function<double(std::span<const double> x, std::span<double> gradient)>;

/// A box, by its corners; as many numbers each as there are dimensions.
struct box {
  std::vector<double> low;
  std::vector<double> high;
};

struct summit {
  std::vector<double> at;
  double value = 0;
};

/// The top of the hill that `from` stands on, or how far `most_steps` lead up to it. Never outside
/// of the box, and never below the start.
///
/// @param least_gain A step that gains less is the last.
///
/// L-BFGS with the last few steps, projected on the box: a coordinate that stands at a border and
/// wants out keeps still. Each step goes back by halves until it climbs enough (Armijo).
/// @source Byrd, Lu, Nocedal, Zhu, "A Limited Memory Algorithm for Bound Constrained Optimization",
///         SIAM J. Sci. Comput. 16, 1995, with a simple projection instead of the Cauchy point.
[[nodiscard]] summit climb(const slope& hill, const box& within, std::vector<double> from,
                           unsigned most_steps = 200, double least_gain = 0);

} // namespace tune::pb2
