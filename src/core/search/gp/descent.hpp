/// Minimisation of a smooth function in a box.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Eigen/Core>

#include <functional>

namespace tune::gp {

/// Value and gradient at a point; the value is infinite where it is undefined.
using smooth_function = std::function<double(const Eigen::VectorXd& at, Eigen::VectorXd& gradient)>;

struct box {
  Eigen::VectorXd low;
  Eigen::VectorXd high;
};

/// Projected L-BFGS: eight pairs, backtracking by Armijo's rule, no coordinate moves by more than 3
/// per step. Ends where the free gradient is below 10⁻³, or a step gains less than 10⁻⁵ of the
/// value.
/// @param at Start; moved to the minimum.
/// @returns the value there; infinity if it is undefined at the start.
/// @source Nocedal, Wright, "Numerical Optimization", 2006, algorithms 7.4 and 7.5.
double descend(const smooth_function& f, const box& within, Eigen::VectorXd& at, int iterations);

} // namespace tune::gp
