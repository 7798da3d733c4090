/// A Gaussian process over configurations, and the kernel that fits them best.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/search/encoding/encoding.hpp"

#include <memory>
#include <vector>

namespace tune::gp {

/// Points as the kernel sees them: numbers that are inactive stand in the middle, categories that
/// are inactive are one more category.
class inputs {
public:
  explicit inputs(const encoding& space);

  /// @param noise Variance by which this point's target is less certain than others. [>= 0]
  void add(const cube_point& canonical, double noise = 0);
  /// @param other Of the same space.
  void append(const inputs& other);
  /// The same points with the axes alone that are `kept`: on the others all points are alike.
  [[nodiscard]] inputs with(const std::vector<bool>& kept) const;

  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] std::size_t dimensions() const { return is_category_.size(); }
  [[nodiscard]] bool is_category(std::size_t i) const { return is_category_[i]; }
  /// Point by point.
  [[nodiscard]] const std::vector<double>& cells() const { return cells_; }
  /// Of each point the variance that its target has beside that of all.
  [[nodiscard]] const std::vector<double>& noises() const { return noises_; }

private:
  std::vector<bool> is_category_;
  std::vector<double> cells_;
  std::vector<double> noises_;
  std::size_t size_ = 0;
};

/// Logarithms of the kernel's parameters: the length scale of each axis, then the variance, then
/// that of the noise.
///
/// k(x, x') = s²·(1 + √5 r + 5r²/3)·e^(-√5 r) + 1, r² = Σ D_i/ℓ_i², D_i = (Δu)² of numbers and [≠]
/// of categories: Matérn's 5/2 with a length scale for each axis, and a constant mean of unknown
/// value. On the diagonal the noise's variance is added, that of the point itself, and 10⁻⁷.
using kernel_logs = std::vector<double>;

/// What is thought of kernels before anything is seen; and bounds: ℓ in [.03, 60], s² in [.02, 50],
/// σ² in [10⁻⁶, 2].
struct kernel_prior {
  /// ln ℓ ~ N(this, 1). ln s² ~ N(0, 1) and ln σ² ~ N(ln 10⁻³, 1.5²).
  double log_length = 0;
  /// Where fitting begins.
  double first_log_length = 0;

  /// @param active Mean number of active axes: in more of them all is further away. [>= 1]
  [[nodiscard]] static kernel_prior of(double active);
};

/// Minus the logarithm of likelihood times prior, up to a constant.
/// @param gradient May be null; has then as many entries as `logs`.
/// @returns infinity where the matrix has no Cholesky decomposition.
[[nodiscard]] double misfit(const inputs& at, const std::vector<double>& targets,
                            const kernel_prior& prior, const kernel_logs& logs,
                            std::vector<double>* gradient);

struct fit {
  kernel_logs logs;
  double misfit = 0;
};

/// Where fitting begins that knows nothing.
[[nodiscard]] kernel_logs first_guess(const kernel_prior& prior, std::size_t dimensions);

/// Descends from `start` by projected L-BFGS: O(n³) a step. [n >= 1]
[[nodiscard]] fit descend(const inputs& at, const std::vector<double>& targets,
                          const kernel_prior& prior, kernel_logs start, int iterations);

/// What is thought of the function before its targets are seen: the process is about the rest.
class prior_mean {
public:
  virtual ~prior_mean() = default;
  /// One number per point, in units of the targets.
  [[nodiscard]] virtual std::vector<double> at(const inputs& points) const = 0;
};

using prior_mean_ptr = std::shared_ptr<const prior_mean>;

/// The targets without what was expected. @param by Null: nothing was.
[[nodiscard]] std::vector<double> without(const inputs& at, std::vector<double> targets,
                                          const prior_mean_ptr& by);

/// Targets, and what follows from them for other points. A value; copies share their parts.
class model {
public:
  /// O(n³). [n >= 1]
  /// @param logs The kernel of the targets without what is expected.
  model(inputs at, std::vector<double> targets, kernel_logs logs, prior_mean_ptr lean = {});

  /// Of the function without noise; one mean and variance per point. O(n²) each.
  void predict(const inputs& at, std::vector<double>& means, std::vector<double>& variances) const;

  /// The means alone: O(n) each.
  [[nodiscard]] std::vector<double> means(const inputs& at) const;
  /// What the values at each of its points and at one other have in common as the kernel has it,
  /// beside the mean: from 0 to 1.
  /// @param one Of one point.
  [[nodiscard]] std::vector<double> correlations(const inputs& one) const;

  /// The same kernel with more points, which have the means that it predicts for them: those whose
  /// results are awaited.
  [[nodiscard]] model believing(const inputs& more) const;

private:
  struct inside;
  std::shared_ptr<const inside> inside_;
};

} // namespace tune::gp
