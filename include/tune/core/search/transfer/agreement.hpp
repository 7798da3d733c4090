/// Trust in earlier experiments: they count as far as their predictions fit the results so far.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <vector>

namespace tune::transfer {

/// Weights a >= 0 of several predictions of the same targets that minimise |t - Σ a_s p_s|² + 2 Σ
/// a_s², with means removed beforehand: by coordinate descent. A prediction that runs against the
/// targets gets weight 0; the penalty shrinks a weight less the more results its prediction fits.
/// Weights are limited to 2; weights below 0.05 become 0.
/// @param predictions One list for each source, as long as `targets`.
[[nodiscard]] std::vector<double> slopes(const std::vector<std::vector<double>>& predictions,
                                         std::span<const double> targets);

/// Kendall's rank correlation: pairs in the same order minus pairs in opposite order, over all
/// pairs; tied ones count in neither. 0 for fewer than two values.
[[nodiscard]] double rank_correlation(std::span<const double> xs, std::span<const double> ys);

/// The correlation as if there were four more results with a correlation of one half; 0 if it is
/// below 0.1. [0 … 1]
[[nodiscard]] double trust(double correlation, std::size_t results);

} // namespace tune::transfer
