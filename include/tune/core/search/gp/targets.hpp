/// Objectives as a Gaussian process likes them: standardised, and bent towards a normal shape.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/search/learner/archive.hpp"

#include <span>
#include <vector>

namespace tune::gp {

/// The power transform of Yeo and Johnson, monotone in `x`.
/// @source Yeo, Johnson, "A New Family of Power Transformations to Improve Normality or Symmetry",
///         Biometrika 87, 2000.
[[nodiscard]] double yeo_johnson(double x, double lambda);

/// The logarithm of the likelihood of `lambda`, up to a constant.
[[nodiscard]] double yeo_johnson_likelihood(std::span<const double> xs, double lambda);

/// The most likely λ, searched on -3 … 4 in steps of ¼, then in steps of .1 and .04 around it.
[[nodiscard]] double fitted_lambda(std::span<const double> xs);

/// Mean 0 and variance 1; all 0 where the deviation is below 1e-12.
[[nodiscard]] std::vector<double> standardised(std::vector<double> xs);

/// One target per result, to be minimised. Those that finished and keep their constraints are
/// standardised, with `power` also transformed by `yeo_johnson`. Others that finished lie beyond
/// the worst of these by their violation, at most by 1, and those that failed are as bad as the
/// worst of all.
/// @param of Finished or failed ones.
[[nodiscard]] std::vector<double> targets(std::span<const learning::result> of, bool power);

} // namespace tune::gp
