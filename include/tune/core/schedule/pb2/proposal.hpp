/// Chooses parameters by what stretches of training brought so far.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/schedule/pb2/gaussian_process.hpp"
#include "tune/core/schedule/pb2/history.hpp"

#include <cstddef>
#include <functional>
#include <vector>

namespace tune::pb2 {

/// What parameters are wanted for.
struct question {
  /// When the donor's last stretch ended, and the score at its beginning.
  double time = 0;
  double before = 0;
  /// What others go on with from the same time on.
  std::vector<point> chosen;
};

struct proposal {
  point at;
  /// What is expected of it, in standard deviations of the gains around their mean; and how
  /// uncertain that is.
  double mean = 0;
  double sigma = 0;
  /// How many stretches it rests on.
  std::size_t stretches = 0;
  kernel by;
};

/// Stretches as the Gaussian process takes them: time and the score before scaled to [0, 1], gains
/// standardised and cut to [-2, 2]. A place's first coordinate is the score before.
struct prepared {
  std::vector<place> where;
  std::vector<double> gains;

  /// @param from [not empty]
  explicit prepared(std::vector<stretch> from);
  /// The place of a point, scaled likewise.
  [[nodiscard]] place place_of(double time, double before, const point& at) const;

private:
  double first_time_ = 0;
  double time_range_ = 0;
  double least_before_ = 0;
  double before_range_ = 0;
};

/// How many of the last stretches a model rests on: all up to 200; of more the length, in steps of
/// 10 from 200 on, of the greatest likelihood.
[[nodiscard]] std::size_t window_length(const std::vector<stretch>& all, const kernel& by);

/// Where mean + κ·σ is greatest, κ² = 0.2 + max(0, ln(0.4 n)) of n stretches: the best of 10 climbs
/// from random points. What others chose narrows σ there.
///
/// The kernel is fitted to the last 200 stretches at most, and judges longer windows as it is.
///
/// @param all  By time. [not empty]
/// @param unit Draws from [0, 1).
/// @source Parker-Holder, Nguyen, Roberts, "Provably Efficient Online Hyperparameter Optimization
///         with Population-Based Bandits", NeurIPS 2020; Ray Tune's PB2, but with σ where that
///         takes the variance.
[[nodiscard]] proposal propose(const std::vector<stretch>& all, const question& what,
                               const std::function<double()>& unit);

} // namespace tune::pb2
