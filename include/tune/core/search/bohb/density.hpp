/// A kernel density estimate over configurations with one bandwidth for each parameter.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/search/encoding/encoding.hpp"

#include <vector>

namespace tune::bohb {

/// The mean of products of kernels around points, over latent coordinates.
///
/// Numbers have normal kernels, not truncated; categories of K choices have the kernel of Aitchison
/// and Aitken, 1 - h for equal and h / (K - 1) for different choices. The bandwidth of each axis is
/// Scott's for n points in d dimensions, 1.06 σ n^(-1/(4 + d)) with the population's deviation σ
/// (for a category that of its indices), but at least `least`, and for a category at most (K - 1) /
/// K.
///
/// @source Falkner et al., ICML 2018, who take theirs from statsmodels.
class density {
public:
  /// @param around Complete points: no coordinate is NaN. [n >= 1]
  /// @param least  Smallest bandwidth. [> 0]
  density(const encoding& space, std::vector<cube_point> around, double least);

  /// The density at a complete point.
  [[nodiscard]] double at(const cube_point& latent) const;
  /// One bandwidth per axis.
  [[nodiscard]] const std::vector<double>& bandwidths() const { return bandwidths_; }
  [[nodiscard]] const std::vector<cube_point>& points() const { return around_; }

private:
  const encoding* space_;
  std::vector<cube_point> around_;
  std::vector<double> bandwidths_;

  [[nodiscard]] double bandwidth_of(std::size_t axis, double least) const;
};

/// Fills in missing coordinates of points: from another of the points that has them, else by a draw
/// from the space.
void complete(const encoding& space, std::vector<cube_point>& points, rng& from);

} // namespace tune::bohb
