/// Search for the largest improvement that a model expects.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/search/gp/model.hpp"

#include <functional>
#include <optional>
#include <vector>

namespace tune::gp {

/// A coordinate that all candidates share: one branch of a conditional space.
struct fixed_axis {
  std::size_t axis = 0;
  double at = 0;
};

/// The target of a search, and its starting points.
struct quest {
  const encoding* space = nullptr;
  const model* by = nullptr;
  /// The value to improve on: a mean of the model. Smaller is better.
  double best = 0;
  /// Canonical points whose neighbourhood is worth a search, best first.
  std::vector<cube_point> around;
  /// Those of these points inside the branch, if there is one.
  std::vector<cube_point> inside;
  std::optional<fixed_axis> branch;
  /// Canonical points that were good in earlier experiments; unknown coordinates are NaN.
  std::vector<cube_point> elsewhere = {};
  std::function<bool(const cube_point& canonical)> is_taken;
};

/// Logarithm of the expected improvement on `best`: log h(z) + log sd, z = (best - mean) / sd.
[[nodiscard]] std::vector<double> log_improvements(const quest& what,
                                                   const std::vector<cube_point>& canonical);

/// The canonical point with the largest expected improvement found, among points that are not
/// taken: starts from 500 random points, 25 around each of eight good ones, and ten for each point
/// of `elsewhere`, then runs six local searches of 25 rounds with ten children each. Empty if all
/// points it saw are taken.
[[nodiscard]] std::optional<cube_point> most_promising(const quest& what, rng& from);

} // namespace tune::gp
