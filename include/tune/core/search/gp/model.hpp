/// A Gaussian process over configurations, and the kernel that fits it best.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/search/encoding/encoding.hpp"

#include <memory>
#include <vector>

namespace tune::gp {

/// Points in the form that the kernel uses: inactive numbers are placed in the middle, inactive
/// categories form one more category.
class inputs {
public:
  explicit inputs(const encoding& space);

  /// @param noise Excess variance of this point's target over that of the others. [>= 0]
  void add(const cube_point& canonical, double noise = 0);
  /// @param other Points of the same space.
  void append(const inputs& other);
  /// The same points reduced to the axes in `kept`: on the others all points are alike.
  [[nodiscard]] inputs with(const std::vector<bool>& kept) const;

  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] std::size_t dimensions() const { return is_category_.size(); }
  [[nodiscard]] bool is_category(std::size_t i) const { return is_category_[i]; }
  /// Point by point.
  [[nodiscard]] const std::vector<double>& cells() const { return cells_; }
  /// The excess variance of each point's target over the common one.
  [[nodiscard]] const std::vector<double>& noises() const { return noises_; }

private:
  std::vector<bool> is_category_;
  std::vector<double> cells_;
  std::vector<double> noises_;
  std::size_t size_ = 0;
};

/// Logarithms of the kernel's parameters: the length scale of each axis, then the variance, then
/// the noise variance.
///
/// k(x, x') = s²·(1 + √5 r + 5r²/3)·e^(-√5 r) + 1, r² = Σ D_i/ℓ_i², D_i = (Δu)² for numbers and [≠]
/// for categories: Matérn's 5/2 with a length scale for each axis, and a constant mean of unknown
/// value. The diagonal additionally holds the noise variance, that of the point itself, and 10⁻⁷.
using kernel_logs = std::vector<double>;

/// The prior of kernels, within the bounds ℓ in [.03, 60], s² in [.02, 50], σ² in [10⁻⁶, 2].
struct kernel_prior {
  /// ln ℓ ~ N(this, 1). ln s² ~ N(0, 1) and ln σ² ~ N(ln 10⁻³, 1.5²).
  double log_length = 0;
  /// Value of ln ℓ from which fitting begins.
  double first_log_length = 0;

  /// @param active Mean number of active axes: with more of them all distances grow. [>= 1]
  [[nodiscard]] static kernel_prior of(double active);
};

/// Negative logarithm of likelihood times prior, up to a constant.
/// @param gradient May be null; otherwise has as many entries as `logs`.
/// @returns infinity if the matrix has no Cholesky decomposition.
[[nodiscard]] double misfit(const inputs& at, const std::vector<double>& targets,
                            const kernel_prior& prior, const kernel_logs& logs,
                            std::vector<double>* gradient);

struct fit {
  kernel_logs logs;
  double misfit = 0;
};

/// The kernel from which fitting begins without further knowledge.
[[nodiscard]] kernel_logs first_guess(const kernel_prior& prior, std::size_t dimensions);

/// Descends from `start` by projected L-BFGS: O(n³) per step. [n >= 1]
[[nodiscard]] fit descend(const inputs& at, const std::vector<double>& targets,
                          const kernel_prior& prior, kernel_logs start, int iterations);

/// Prior mean of the function, known before its targets: the process models the rest.
class prior_mean {
public:
  virtual ~prior_mean() = default;
  /// One number per point, in units of the targets.
  [[nodiscard]] virtual std::vector<double> at(const inputs& points) const = 0;
};

using prior_mean_ptr = std::shared_ptr<const prior_mean>;

/// The targets minus the prior mean. @param by Null: no prior mean.
[[nodiscard]] std::vector<double> without(const inputs& at, std::vector<double> targets,
                                          const prior_mean_ptr& by);

/// Targets, and predictions for other points. A value; copies share their parts.
class model {
public:
  /// O(n³). [n >= 1]
  /// @param logs The kernel of the targets minus the prior mean.
  model(inputs at, std::vector<double> targets, kernel_logs logs, prior_mean_ptr lean = {});

  /// Predictions of the function without noise; one mean and variance per point. O(n²) each.
  void predict(const inputs& at, std::vector<double>& means, std::vector<double>& variances) const;

  /// The means only: O(n) each.
  [[nodiscard]] std::vector<double> means(const inputs& at) const;
  /// Correlations, according to the kernel and beside the mean, between the value at one point and
  /// those at each point of the model: from 0 to 1.
  /// @param one Must hold one point.
  [[nodiscard]] std::vector<double> correlations(const inputs& one) const;

  /// The same kernel with more points whose results are awaited: their targets are the predicted
  /// means.
  [[nodiscard]] model believing(const inputs& more) const;

private:
  struct inside;
  std::shared_ptr<const inside> inside_;
};

} // namespace tune::gp
