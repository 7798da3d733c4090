/// Where a model expects the largest improvement.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/search/gp/model.hpp"

#include <functional>
#include <optional>
#include <vector>

namespace tune::gp {

/// All candidates have this coordinate: one branch of a conditional space.
struct fixed_axis {
  std::size_t axis = 0;
  double at = 0;
};

/// What is searched, and from where.
struct quest {
  const encoding* space = nullptr;
  const model* by = nullptr;
  /// What is to be improved upon: a mean of the model. Smaller is better.
  double best = 0;
  /// Canonical points worth looking around of, best first.
  std::vector<cube_point> around;
  /// Of these the ones inside the branch, where there is one.
  std::vector<cube_point> inside;
  std::optional<fixed_axis> branch;
  /// Canonical points that were good elsewhere; what is not known of them is NaN.
  std::vector<cube_point> elsewhere = {};
  std::function<bool(const cube_point& canonical)> is_taken;
};

/// Logarithm of the expected improvement on `best`: log h(z) + log sd, z = (best - mean) / sd.
[[nodiscard]] std::vector<double> log_improvements(const quest& what,
                                                   const std::vector<cube_point>& canonical);

/// The canonical point of the largest expected improvement that was found, not taken by anyone:
/// from 500 random points and 25 around each of eight good ones, then by six local searches of 25
/// rounds with ten children each. From each point that was good elsewhere ten more. Nothing where
/// all that it saw are taken.
[[nodiscard]] std::optional<cube_point> most_promising(const quest& what, rng& from);

} // namespace tune::gp
