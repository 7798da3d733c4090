/// How far earlier experiments are believed: as far as what they say fits the results so far.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <vector>

namespace tune::transfer {

/// Weights a >= 0 of some predictions of the same targets that minimise
/// |t - Σ a_s p_s|² + 2 Σ a_s², means taken off beforehand: by coordinate descent. Where a
/// prediction runs against the targets its weight is 0, and for each two results that it has fit
/// for it is believed more. At most 2; what is below 0.05 is 0.
/// @param predictions One list for each source, as long as `targets`.
[[nodiscard]] std::vector<double> slopes(const std::vector<std::vector<double>>& predictions,
                                         std::span<const double> targets);

/// Kendall's rank correlation: pairs in the same order minus those in the other, over all pairs;
/// tied ones count in neither. 0 of fewer than two.
[[nodiscard]] double rank_correlation(std::span<const double> xs, std::span<const double> ys);

/// The correlation as if there were four results more, among which it was a half; 0 where it is
/// below 0.1. [0 … 1]
[[nodiscard]] double trust(double correlation, std::size_t results);

} // namespace tune::transfer
