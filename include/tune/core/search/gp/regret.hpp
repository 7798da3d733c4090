/// Possible difference between the best result and the best of the space.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/search/learner/rule.hpp"

#include <cstddef>
#include <memory>
#include <optional>

namespace tune::gp {

class kernel_book;

/// Half-width, in standard deviations, of a bound that is to hold for all points of a space at
/// once.
///
/// √(2/5 · ln(d n² π² / (6 · 0.1))).
/// @param dimensions [>= 1]
/// @param results    [>= 1]
/// @source Srinivas et al., "Gaussian Process Optimization in the Bandit Setting", ICML 2010, with
///         the factor 1/5 that they take in practice.
[[nodiscard]] double confidence_width(std::size_t dimensions, std::size_t results);

/// An upper bound of the remaining regret, in the metric's unit: the least upper bound of the model
/// at a result, minus the lowest lower bound that a search found anywhere. Valid as far as the
/// model is right.
/// @returns empty if there are fewer than two results, several objectives, or only equal results,
///          which give no scale.
/// @source Makarova et al., "Automatic Termination for Hyperparameter Optimization", AutoML 2022.
[[nodiscard]] std::optional<double> regret_bound(const learning::outlook& from, kernel_book& book);

} // namespace tune::gp
