/// Objectives as a Gaussian process likes them: standardised, and bent towards a normal shape.
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

/// The number that `yeo_johnson` turns into `y`; infinite where there is none.
[[nodiscard]] double yeo_johnson_inverse(double y, double lambda);

/// The logarithm of the likelihood of `lambda`, up to a constant.
[[nodiscard]] double yeo_johnson_likelihood(std::span<const double> xs, double lambda);

/// The most likely λ, searched on -3 … 4 in steps of ¼, then in steps of .1 and .04 around it.
[[nodiscard]] double fitted_lambda(std::span<const double> xs);

/// Mean 0 and variance 1; all 0 where the deviation is below 1e-12.
[[nodiscard]] std::vector<double> standardised(std::vector<double> xs);

/// A shift and a scale after which numbers have mean 0 and variance 1.
struct standard {
  /// What numbers are divided by first: more than 1 where sums of them would overflow. [>= 1]
  double unit = 1;
  double mean = 0;
  /// 0: they are all alike, and all become 0. [>= 0]
  double deviation = 0;

  [[nodiscard]] static standard of(std::span<const double> xs);
  [[nodiscard]] double applied(double x) const {
    return deviation > 0 ? (x / unit - mean) / deviation : 0;
  }
  [[nodiscard]] double undone(double y) const { return (y * deviation + mean) * unit; }
};

/// How the values of results that finished and keep their constraints become targets.
class target_scale {
public:
  /// @param power Whether they are transformed by `yeo_johnson`, too.
  [[nodiscard]] static target_scale of(std::span<const learning::result> results, bool power);
  [[nodiscard]] static target_scale of(std::vector<double> values, bool power);

  [[nodiscard]] double target_of(double value) const;
  /// The other way round. Values beyond ten standard deviations of all values from their mean,
  /// where the transform has a pole, count as just there.
  [[nodiscard]] double value_of(double target) const;
  /// By how much the target changes with the value, at a value; 0 where all are alike. [>= 0]
  [[nodiscard]] double slope_at(double value) const;
  /// What a model that has a normal belief about a target thinks of the objective, of which larger
  /// is better. Closed without the transform, by quadrature with it.
  /// @param deviation Of the belief. [> 0]
  /// @param best      The target that is to be improved upon, as in `quest`.
  [[nodiscard]] expectation expected(double mean, double deviation, double best) const;

private:
  standard plain_;
  bool is_bent_ = false;
  double lambda_ = 1;
  standard bent_;
};

/// One target per result, to be minimised. Those that finished and keep their constraints are
/// standardised, with `power` also transformed by `yeo_johnson`. Others that finished lie beyond
/// the worst of these by their violation, at most by 1, and those that failed are as bad as the
/// worst of all.
/// @param of Finished or failed ones.
[[nodiscard]] std::vector<double> targets(std::span<const learning::result> of, bool power);

/// Of each target the variance by which it is less certain than the most certain one, 2 at most:
/// the excess of its value's squared standard error (`excess_noise`) on the scale of the targets.
/// 0 for those that failed or miss a constraint, whose targets are no values.
[[nodiscard]] std::vector<double> noises(std::span<const learning::result> of, bool power);

} // namespace tune::gp
