/// A Gaussian process over points and time, in which old measurements count for less.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <span>
#include <vector>

namespace tune::pb2 {

/// Place and time of a measurement; both scaled to about [0, 1].
struct place {
  double time = 0;
  std::vector<double> at;
};

/// The kernel σ²·exp(-‖x - x'‖²/ℓ)·(1 - ε)^(|t - t'|/2), and the variance of the measurement noise.
struct kernel {
  double variance = 1;
  double length = 1;
  /// The rate at which the function changes with time. [0, 0.5]
  double epsilon = 0.1;
  double noise = 1;
};

[[nodiscard]] double covariance(const kernel& by, const place& x, const place& y);

/// Posterior of the function at a place, without measurement noise.
struct belief {
  double mean = 0;
  double variance = 0;
};

/// Measurements, and the posterior at other places. A value; copies share their parts.
class gaussian_process {
public:
  /// Costs O(n³).
  /// @param where   Places of equal dimension. [n >= 1]
  /// @param targets One per place.
  gaussian_process(kernel by, std::vector<place> where, std::vector<double> targets);

  /// The posterior at `x`. O(n²).
  [[nodiscard]] belief at(const place& x) const;
  /// Also fills in the gradients along `x.at`, which have its dimension.
  [[nodiscard]] belief at(const place& x, std::span<double> mean_gradient,
                          std::span<double> variance_gradient) const;

  /// Log likelihood of all targets.
  [[nodiscard]] double log_likelihood() const;
  [[nodiscard]] const kernel& by() const;
  [[nodiscard]] const std::vector<place>& places() const;

private:
  struct inside;
  std::shared_ptr<const inside> inside_;
};

/// The kernel of greatest likelihood: ℓ in [1e-5, 1], ε in [0, 0.5], the variances within five
/// orders of magnitude around 1. Fitted from two starts, each some tens of steps of O(n³).
[[nodiscard]] kernel fitted_kernel(const std::vector<place>& where,
                                   const std::vector<double>& targets);

} // namespace tune::pb2
