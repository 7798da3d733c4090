/// Chooses parameters by the gains of earlier stretches of training.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/schedule/pb2/gaussian_process.hpp"
#include "tune/core/schedule/pb2/history.hpp"

#include <cstddef>
#include <functional>
#include <vector>

namespace tune::pb2 {

/// The situation for which parameters are chosen.
struct question {
  /// End of the donor's last stretch, and the score at its beginning.
  double time = 0;
  double before = 0;
  /// Points that were chosen for other trials going on from the same time.
  std::vector<point> chosen;
};

struct proposal {
  point at;
  /// Expected gain, in standard deviations of the gains around their mean; and its uncertainty.
  double mean = 0;
  double sigma = 0;
  /// Number of stretches that the proposal rests on.
  std::size_t stretches = 0;
  kernel by;
};

/// Stretches in the form that the Gaussian process takes: time and the score before scaled to [0,
/// 1], gains standardised and cut to [-2, 2]. The first coordinate of a place is the score before.
struct prepared {
  std::vector<place> where;
  std::vector<double> gains;

  /// @param from Not empty.
  explicit prepared(std::vector<stretch> from);
  /// The place of a point, scaled in the same way.
  [[nodiscard]] place place_of(double time, double before, const point& at) const;

private:
  double first_time_ = 0;
  double time_range_ = 0;
  double least_before_ = 0;
  double before_range_ = 0;
};

/// Number of last stretches that a model rests on: all up to 200; if there are more, the length
/// with the greatest likelihood, in steps of 10 from 200 on.
[[nodiscard]] std::size_t window_length(const std::vector<stretch>& all, const kernel& by);

/// Maximises mean + κ·σ, κ² = 0.2 + max(0, ln(0.4 n)) of n stretches: returns the best of 10 climbs
/// from random points. Points chosen for others reduce σ near them.
///
/// The kernel is fitted to at most the last 200 stretches, and judges longer windows unchanged.
///
/// @param all  Ordered by time. Not empty.
/// @param unit Draws from [0, 1).
/// @source Parker-Holder, Nguyen, Roberts, "Provably Efficient Online Hyperparameter Optimization
///         with Population-Based Bandits", NeurIPS 2020; Ray Tune's PB2, but with σ where that
///         takes the variance.
[[nodiscard]] proposal propose(const std::vector<stretch>& all, const question& what,
                               const std::function<double()>& unit);

} // namespace tune::pb2
