/// Objectives in the form that suits a Gaussian process: standardised, and closer to a normal
/// shape.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/search/explanation.hpp"
#include "tune/core/search/learner/archive.hpp"

#include <span>
#include <vector>

namespace tune::gp {

/// The power transform of Yeo and Johnson, monotone in `x`.
/// @source Yeo, Johnson, "A New Family of Power Transformations to Improve Normality or Symmetry",
///         Biometrika 87, 2000.
[[nodiscard]] double yeo_johnson(double x, double lambda);

/// The number that `yeo_johnson` turns into `y`; infinite if there is none.
[[nodiscard]] double yeo_johnson_inverse(double y, double lambda);

/// Log likelihood of `lambda`, up to a constant.
[[nodiscard]] double yeo_johnson_likelihood(std::span<const double> xs, double lambda);

/// The most likely λ, searched on -3 … 4 in steps of ¼, then in steps of .1 and .04 around the
/// best.
[[nodiscard]] double fitted_lambda(std::span<const double> xs);

/// Shifts and scales to mean 0 and variance 1; all 0 if the deviation is below 1e-12.
[[nodiscard]] std::vector<double> standardised(std::vector<double> xs);

/// A shift and a scale that give numbers mean 0 and variance 1.
struct standard {
  /// First divisor of the numbers: more than 1 if their sums would overflow. [>= 1]
  double unit = 1;
  double mean = 0;
  /// 0 if all numbers are equal; all then become 0. [>= 0]
  double deviation = 0;

  [[nodiscard]] static standard of(std::span<const double> xs);
  [[nodiscard]] double applied(double x) const {
    return deviation > 0 ? (x / unit - mean) / deviation : 0;
  }
  [[nodiscard]] double undone(double y) const { return (y * deviation + mean) * unit; }
};

/// Maps the values of finished results that keep their constraints to targets.
class target_scale {
public:
  /// @param power Whether values are also transformed by `yeo_johnson`.
  [[nodiscard]] static target_scale of(std::span<const learning::result> results, bool power);
  [[nodiscard]] static target_scale of(std::vector<double> values, bool power);

  [[nodiscard]] double target_of(double value) const;
  /// Inverse of `target_of`. Values more than ten standard deviations of all values from their
  /// mean, where the transform has a pole, are limited to that distance.
  [[nodiscard]] double value_of(double target) const;
  /// Derivative of the target by the value, at a value; 0 if all are equal. [>= 0]
  [[nodiscard]] double slope_at(double value) const;
  /// The expectation of the objective, larger being better, that follows from a normal belief about
  /// a target. In closed form without the transform, by quadrature with it.
  /// @param deviation Standard deviation of the belief. [> 0]
  /// @param best      The target to improve on, as in `quest`.
  [[nodiscard]] expectation expected(double mean, double deviation, double best) const;

private:
  standard plain_;
  bool is_bent_ = false;
  double lambda_ = 1;
  standard bent_;
};

/// One target per result, to be minimised. Finished results that keep their constraints are
/// standardised, with `power` also transformed by `yeo_johnson`. Other finished ones lie beyond the
/// worst of these by their violation, at most by 1, and failed ones are as bad as the worst of all.
/// @param of Finished or failed results.
[[nodiscard]] std::vector<double> targets(std::span<const learning::result> of, bool power);

/// Excess variance of each target over the most certain one, at most 2: the excess of its value's
/// squared standard error (`excess_noise`) on the scale of the targets. 0 for results that failed
/// or miss a constraint, whose targets are no values.
[[nodiscard]] std::vector<double> noises(std::span<const learning::result> of, bool power);

} // namespace tune::gp
