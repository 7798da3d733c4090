/// Combines several objectives into one, by weights.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/rng.hpp"
#include "tune/core/search/learner/archive.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace tune::learning {

/// Weights drawn uniformly from all that are positive and sum up to 1.
[[nodiscard]] std::vector<double> drawn_weights(std::uint32_t objectives, rng& from);

/// The results with one combined objective: max_k w_k u_k + 0.05 Σ_k w_k u_k, where u_k is
/// objective k on a scale on which 0 is the best of all results and 1 the worst of the first front
/// (of all results if the front has only one value). Results that miss a constraint do not count
/// for the scales. Whatever the weights, the minimum is on the front; and each point of the front
/// is the minimum for some weights.
/// @param weights One for each objective.
/// @source Knowles, "ParEGO: A Hybrid Algorithm With On-Line Landscape Approximation for Expensive
///         Multiobjective Optimization Problems", IEEE Transactions on Evolutionary Computation 10,
///         2006, except for the scales.
[[nodiscard]] std::vector<result> as_one(std::vector<result> of, std::span<const double> weights);

} // namespace tune::learning
