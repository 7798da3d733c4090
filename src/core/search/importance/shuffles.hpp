/// A test of one parameter: do its values explain the results better than if they were dealt anew?
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/rng.hpp"
#include "tune/core/search/gp/model.hpp"

#include <cstddef>
#include <vector>

namespace tune {

/// Axes of one parameter: `count` of them, from `first` on.
struct axes {
  std::size_t first = 0;
  std::size_t count = 0;
};

/// Configurations and their results.
struct lesson {
  std::vector<cube_point> at;
  /// Targets to be minimised, with mean 0 and variance 1.
  std::vector<double> targets;
};

/// The share of deals that explain the results as well as the true values do: shuffles of the
/// parameter's values among the configurations that have it, the true deal among them. A
/// meaningless parameter comes to at most 5 % in one of twenty cases, whatever its domain and the
/// distribution of the results, if configurations were drawn blindly.
///
/// Results are explained by a parameter as far as configurations with similar values have similar
/// results once the model without the parameter has told what it knows. This is the score statistic
/// of a Gaussian process to which a kernel of the parameter is added. There are several kernels:
/// smooth and ragged ones, of all axes and of each of several, for the parameter by itself and
/// together with others. The largest of their statistics counts, each in its standard deviations
/// over all deals.
///
/// O(n²) per deal and kernel.
///
/// @param without Kernel of the model without the parameter. @param kept The axes it knows.
/// @source Lin, "Variance Component Testing in Generalised Linear Models with Random Effects",
///         Biometrika 84, 1997; Phipson, Smyth, "Permutation P-values Should Never Be Zero", 2010.
[[nodiscard]] double chance_of(const encoding& space, const lesson& from, const axes& of,
                               const gp::kernel_logs& without, const std::vector<bool>& kept,
                               rng deals);

} // namespace tune
