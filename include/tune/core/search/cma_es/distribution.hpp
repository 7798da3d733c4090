/// The normal distribution that CMA-ES draws from, and how it learns from a generation.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/search/cma_es/constants.hpp"

#include <cstddef>
#include <span>
#include <vector>

namespace tune::cma_es {

/// A point, one coordinate per dimension.
using vector = std::vector<double>;

/// One member of a generation.
struct member {
  vector at;
  /// Whether it was drawn from the present distribution. Other points are taken in as if they were
  /// no further from the mean than draws are.
  bool own = true;
};

/// Weights of the members, best first; equal members have equal weights.
struct shares {
  /// Weights for the mean: they sum up to 1.
  vector mean;
  /// Weights for the covariances: negative for the worse half.
  vector shape;
};

/// N(m, σ²C) with its evolution paths.
///
/// Discrete coordinates have a *margin*: the coordinate is stretched about the mean, so that the
/// values next to the mean's keep some probability however small σ becomes.
///
/// @source Hansen, as in `constants`; "Injecting External Solutions Into CMA-ES", arXiv:1110.4181;
///         Hamano, Saito, Nomura, Shirakawa, "CMA-ES with Margin", GECCO 2022.
class distribution {
public:
  /// @param covariance Row by row; empty: the identity matrix.
  distribution(const constants& how, vector mean, double sigma, vector covariance = {});

  [[nodiscard]] const vector& mean() const { return mean_; }
  [[nodiscard]] double sigma() const { return sigma_; }
  /// C, row by row.
  [[nodiscard]] const vector& covariance() const { return covariance_; }
  /// Number of generations that were learnt from.
  [[nodiscard]] std::size_t generation() const { return generation_; }

  /// m + σ √C z.
  /// @param z Standard normal.
  [[nodiscard]] vector at(std::span<const double> z) const;
  /// The stretched position of coordinate `x` in dimension `i`.
  [[nodiscard]] double stretched(std::size_t i, double x) const {
    return mean_[i] + stretch_[i] * (x - mean_[i]);
  }
  /// The inverse: the coordinate that is stretched to `x`.
  [[nodiscard]] double shrunk(std::size_t i, double x) const {
    return mean_[i] + (x - mean_[i]) / stretch_[i];
  }
  [[nodiscard]] double stretch(std::size_t i) const { return stretch_[i]; }
  /// Standard deviation of draws in dimension `i`, stretched.
  [[nodiscard]] double deviation(std::size_t i) const;
  /// The largest standard deviation in any direction, without stretching.
  [[nodiscard]] double widest() const { return sigma_ * longest_; }
  /// The ratio of the largest to the least eigenvalue of C.
  [[nodiscard]] double condition() const { return condition_; }

  /// Learns from a generation.
  /// @param best_first As many members as `how.population`.
  void learn(const constants& how, std::span<const member> best_first, const shares& by);

  /// Ensures that draws in dimension `i` leave the mean's value with some probability: `margin` in
  /// all, or half of it to each side.
  /// @param low, high Ends of the mean's value; for the first and the last value both are its inner
  ///             end.
  void keep_margin(std::size_t i, double low, double high, double margin);

private:
  vector mean_;
  double sigma_;
  vector covariance_;
  vector path_c_;
  vector path_sigma_;
  vector stretch_;
  /// √C and its inverse, row by row.
  vector root_;
  vector inverse_;
  double longest_ = 1;
  double condition_ = 1;
  std::size_t generation_ = 0;

  void decompose();
};

} // namespace tune::cma_es
