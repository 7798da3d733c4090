/// A density over configurations: a mixture of kernels around points.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/search/encoding/encoding.hpp"

#include <vector>

namespace tune::tpe {

/// A mixture of products, one kernel per point and one wide prior, over canonical points.
///
/// Numbers have normal kernels truncated to [0, 1]; evenly spaced discrete ones the mass of the
/// kernel over their cell. The bandwidth of a kernel is the larger gap to its neighbours on that
/// axis, at least max(.03, (m + 2)⁻²) of m points and at most 1. Categories of K choices have mass
/// (e + [same]) / (1 + K e), e = 1 / (m + 1). The prior is N(½, 1) truncated, or even.
///
/// In conditional spaces a kernel whose point lacks an axis contributes the prior for it.
///
/// @source Bergstra et al., "Algorithms for Hyper-Parameter Optimization", NIPS 2011; Watanabe,
///         "Tree-Structured Parzen Estimator: Understanding Its Algorithm Components", 2023.
class parzen {
public:
  /// @param around  Canonical points. [n >= 0]
  /// @param weights One per point. [> 0] The prior has weight 1.
  parzen(const encoding& space, const std::vector<const cube_point*>& around,
         const std::vector<double>& weights);

  /// A latent point of the mixture.
  [[nodiscard]] cube_point draw(rng& from) const;
  /// One coordinate of such a point.
  [[nodiscard]] double draw(std::size_t i, rng& from) const;

  /// Logarithm of the density at a canonical point, over its active axes.
  [[nodiscard]] double log_density(const cube_point& canonical) const;
  /// Logarithm of the density of axis `i` alone.
  [[nodiscard]] double log_density(std::size_t i, double u) const;

private:
  /// The kernels of one axis; the last is the prior.
  struct column {
    /// For numbers: mean, bandwidth, and the logarithms of the mass within [0, 1] and of the
    /// divisor of the density.
    std::vector<double> mean;
    std::vector<double> width;
    std::vector<double> log_mass;
    std::vector<double> log_scale;
    /// For categories: the choice; -1: all are equal.
    std::vector<double> choice;
  };

  const encoding* space_;
  std::size_t points_;
  std::vector<double> log_weights_;
  std::vector<double> shares_;
  std::vector<column> columns_;

  [[nodiscard]] column make_column(std::size_t i,
                                   const std::vector<const cube_point*>& around) const;
  void fit_widths(column& to, const std::vector<bool>& lacks) const;
  [[nodiscard]] std::size_t draw_kernel(rng& from) const;
  [[nodiscard]] double draw(std::size_t kernel, std::size_t i, rng& from) const;
  void add_logs(std::size_t i, double u, std::vector<double>& to) const;
};

} // namespace tune::tpe
