// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/search/gp/model.hpp"

#include "descent.hpp"
#include "forward.hpp"

#include <Eigen/Cholesky>
#include <Eigen/Core>

#include <cassert>
#include <cmath>
#include <limits>

namespace tune::gp {

namespace {

using Eigen::ArrayXd;
using Eigen::Index;
using Eigen::Lower;
using Eigen::MatrixXd;
using Eigen::VectorXd;

/// Coordinates of inactive axes: a category that no other point has, and the middle for numbers.
constexpr double no_choice = -1;
constexpr double no_number = 0.5;

/// Keeps the matrix invertible where points coincide.
constexpr double jitter = 1e-7;
/// Variance of the constant mean.
constexpr double mean_variance = 1;
constexpr double least_variance = 1e-12;

/// Width of blocks of columns. A multiple of eight, which is what Eigen's products take at once:
/// the order of sums is then that of the whole matrix.
constexpr Index block_width = 24;
/// Predictions of at most this many points use `solve_lower`. For more rows Eigen solves in panels
/// (of 120 if the first-level cache has 32 KiB), and `solve_lower` is no faster there.
constexpr Index most_in_one_panel = 120;

constexpr double length_deviation = 1;
constexpr double variance_deviation = 1;
const double log_noise_mean = std::log(1e-3);
constexpr double noise_deviation = 1.5;

Index index(std::size_t x) {
  return static_cast<Index>(x);
}

VectorXd vector_of(const std::vector<double>& xs) {
  return Eigen::Map<const VectorXd>{xs.data(), index(xs.size())};
}

/// Matrix with one row per point.
MatrixXd rows_of(const inputs& xs) {
  return Eigen::Map<const MatrixXd>{xs.cells().data(), index(xs.dimensions()), index(xs.size())}
      .transpose();
}

/// Matérn 5/2 of squared distances, without its variance.
ArrayXd matern(const ArrayXd& squared) {
  ArrayXd root = (5 * squared).sqrt();
  return (1 + root + (5.0 / 3) * squared) * (-root).exp();
}

/// The kernel that the logarithms describe.
struct kernel {
  /// 1/ℓ² of each axis.
  VectorXd weights;
  double variance = 1;
  double noise = 0;

  explicit kernel(const VectorXd& logs)
      : weights{(-2 * logs.head(logs.size() - 2).array()).exp()}
      , variance{std::exp(logs[logs.size() - 2])}
      , noise{std::exp(logs[logs.size() - 1])} {}

  [[nodiscard]] double on_diagonal() const { return variance + mean_variance + noise + jitter; }
};

/// Squared distances of all pairs i > k on each axis, column by column of the lower triangle.
MatrixXd pair_distances(const inputs& at) {
  auto rows = rows_of(at);
  auto n = rows.rows();
  MatrixXd result{n * (n - 1) / 2, rows.cols()};
  for (Index j = 0; j < rows.cols(); ++j) {
    Index begin = 0;
    for (Index k = 0; k + 1 < n; begin += n - 1 - k, ++k) {
      ArrayXd gaps = rows.col(j).tail(n - 1 - k).array() - rows(k, j);
      result.col(j).segment(begin, n - 1 - k) = at.is_category(static_cast<std::size_t>(j))
                                                    ? (gaps != 0).cast<double>().eval()
                                                    : gaps.square().eval();
    }
  }
  return result;
}

/// Writes the values of pairs below the diagonal. @param noises Added on the diagonal.
void scatter(const ArrayXd& pairs, double diagonal, const VectorXd& noises, MatrixXd& to) {
  auto n = to.rows();
  to.diagonal() = noises.array() + diagonal;
  Index begin = 0;
  for (Index k = 0; k + 1 < n; begin += n - 1 - k, ++k)
    to.col(k).tail(n - 1 - k) = pairs.segment(begin, n - 1 - k);
}

ArrayXd gather(const MatrixXd& from) {
  auto n = from.rows();
  ArrayXd result{n * (n - 1) / 2};
  Index begin = 0;
  for (Index k = 0; k + 1 < n; begin += n - 1 - k, ++k)
    result.segment(begin, n - 1 - k) = from.col(k).tail(n - 1 - k).array();
  return result;
}

/// Columns of a triangular matrix that are processed together; the part above them is zero.
struct column_block {
  Index begin = 0;
  Index size = 0;
};

/// Splits columns into blocks. The last block has up to twice the width, less one: a product with a
/// single row or column would add in another order than the whole matrix does.
std::vector<column_block> blocks(Index n) {
  std::vector<column_block> result;
  for (Index at = 0; at < n; at += result.back().size)
    result.push_back({at, n - at < 2 * block_width ? n - at : block_width});
  return result;
}

/// L⁻¹, of which only the part on and below the diagonal is computed: a third of the work of
/// solving for all rows of all columns. @param factor Holds L below its diagonal.
MatrixXd inverse_of(const MatrixXd& factor) {
  auto n = factor.rows();
  MatrixXd result = MatrixXd::Identity(n, n);
  const row_matrix rows = factor;
  for (const auto& x : blocks(n)) {
    auto rest = n - x.begin;
    solve_lower(rows.bottomRightCorner(rest, rest), result.block(x.begin, x.begin, rest, x.size));
  }
  return result;
}

/// Posterior of kernels for given points and targets; keeps what needs to be computed only once.
class posterior {
public:
  posterior(const inputs& at, const std::vector<double>& targets, const kernel_prior& prior)
      : distances_{pair_distances(at)}
      , targets_{vector_of(targets)}
      , noises_{vector_of(at.noises())}
      , prior_{prior} {}

  /// Minus the logarithm of the posterior. @param gradient May be null.
  double operator()(const VectorXd& logs, VectorXd* gradient) const {
    kernel by{logs};
    ArrayXd squared = (distances_ * by.weights).array();
    ArrayXd root = (5 * squared).sqrt();
    ArrayXd decay = by.variance * (-root).exp();
    ArrayXd covariances = (1 + root + (5.0 / 3) * squared) * decay;
    auto n = targets_.size();
    MatrixXd matrix{n, n};
    scatter(covariances + mean_variance, by.on_diagonal(), noises_, matrix);
    Eigen::LLT<Eigen::Ref<MatrixXd>, Lower> factor{matrix};
    if (factor.info() != Eigen::Success)
      return std::numeric_limits<double>::infinity();
    VectorXd alpha = factor.solve(targets_);
    auto value = 0.5 * targets_.dot(alpha) + matrix.diagonal().array().log().sum();
    if (gradient != nullptr) {
      auto slopes = excess(matrix, alpha);
      ArrayXd pairs = gather(slopes);
      ArrayXd bends = (5.0 / 3) * (1 + root) * decay * pairs;
      auto d = logs.size() - 2;
      gradient->resize(logs.size());
      gradient->head(d) = by.weights.cwiseProduct(distances_.transpose() * bends.matrix());
      (*gradient)[d] = (pairs * covariances).sum() + 0.5 * by.variance * slopes.trace();
      (*gradient)[d + 1] = 0.5 * by.noise * slopes.trace();
    }
    return value + add_prior(logs, gradient);
  }

private:
  MatrixXd distances_;
  VectorXd targets_;
  VectorXd noises_;
  kernel_prior prior_;

  /// The lower half of K⁻¹ - αα'. @param factor Holds L below its diagonal.
  static MatrixXd excess(const MatrixXd& factor, const VectorXd& alpha) {
    auto n = factor.rows();
    auto inverse = inverse_of(factor);
    MatrixXd result = MatrixXd::Zero(n, n);
    for (const auto& x : blocks(n)) {
      auto columns = inverse.block(x.begin, x.begin, n - x.begin, x.size);
      if (x.begin > 0)
        result.block(x.begin, 0, x.size, x.begin).noalias()
            += columns.transpose() * inverse.block(x.begin, 0, n - x.begin, x.begin);
      result.block(x.begin, x.begin, x.size, x.size)
          .selfadjointView<Lower>()
          .rankUpdate(columns.transpose());
    }
    result.selfadjointView<Lower>().rankUpdate(alpha, -1);
    return result;
  }

  double add_prior(const VectorXd& logs, VectorXd* gradient) const {
    double sum = 0;
    auto d = logs.size() - 2;
    for (Index i = 0; i < logs.size(); ++i) {
      auto mean = i < d ? prior_.log_length : i == d ? 0 : log_noise_mean;
      auto deviation = i < d ? length_deviation : i == d ? variance_deviation : noise_deviation;
      auto z = (logs[i] - mean) / deviation;
      sum += 0.5 * z * z;
      if (gradient != nullptr)
        (*gradient)[i] += z / deviation;
    }
    return sum;
  }
};

box bounds(std::size_t dimensions) {
  auto size = index(dimensions) + 2;
  box result{VectorXd::Constant(size, std::log(0.03)), VectorXd::Constant(size, std::log(60.0))};
  result.low[size - 2] = std::log(0.02);
  result.high[size - 2] = std::log(50.0);
  result.low[size - 1] = std::log(1e-6);
  result.high[size - 1] = std::log(2.0);
  return result;
}

} // namespace

inputs::inputs(const encoding& space) {
  for (std::size_t i = 0; i < space.dimensions(); ++i)
    is_category_.push_back(space.at(i).is_category());
}

void inputs::add(const cube_point& canonical, double noise) {
  assert(canonical.size() == dimensions());
  for (std::size_t i = 0; i < canonical.size(); ++i) {
    auto u = canonical[i];
    cells_.push_back(!std::isnan(u) ? u : is_category_[i] ? no_choice : no_number);
  }
  noises_.push_back(noise);
  ++size_;
}

void inputs::append(const inputs& other) {
  cells_.insert(cells_.end(), other.cells_.begin(), other.cells_.end());
  noises_.insert(noises_.end(), other.noises_.begin(), other.noises_.end());
  size_ += other.size_;
}

inputs inputs::with(const std::vector<bool>& kept) const {
  auto result = *this;
  auto d = dimensions();
  for (std::size_t k = 0; k < result.cells_.size(); ++k) {
    if (!kept[k % d])
      result.cells_[k] = is_category_[k % d] ? no_choice : no_number;
  }
  return result;
}

std::vector<double> without(const inputs& at, std::vector<double> targets,
                            const prior_mean_ptr& by) {
  if (by == nullptr)
    return targets;
  auto expected = by->at(at);
  for (std::size_t i = 0; i < targets.size(); ++i)
    targets[i] -= expected[i];
  return targets;
}

kernel_prior kernel_prior::of(double active) {
  return {-0.3 + 0.5 * std::log(active), std::log(0.5) + 0.25 * std::log(active)};
}

double misfit(const inputs& at, const std::vector<double>& targets, const kernel_prior& prior,
              const kernel_logs& logs, std::vector<double>* gradient) {
  VectorXd slopes;
  auto value
      = posterior{at, targets, prior}(vector_of(logs), gradient != nullptr ? &slopes : nullptr);
  if (gradient != nullptr)
    gradient->assign(slopes.begin(), slopes.end());
  return value;
}

kernel_logs first_guess(const kernel_prior& prior, std::size_t dimensions) {
  kernel_logs result(dimensions, prior.first_log_length);
  result.push_back(0);
  result.push_back(log_noise_mean);
  return result;
}

fit descend(const inputs& at, const std::vector<double>& targets, const kernel_prior& prior,
            kernel_logs start, int iterations) {
  posterior f{at, targets, prior};
  auto x = vector_of(start);
  auto value = descend([&](const VectorXd& logs, VectorXd& gradient) { return f(logs, &gradient); },
                       bounds(at.dimensions()), x, iterations);
  return {{x.begin(), x.end()}, value};
}

struct model::inside {
  inputs at;
  /// Targets minus their expected values.
  VectorXd targets;
  kernel by;
  kernel_logs logs;
  prior_mean_ptr lean;
  /// One row per point, so that predictions read memory in order.
  MatrixXd rows;
  MatrixXd factor;
  /// The same as `factor`; empty where it is larger than one panel.
  row_matrix factor_rows;
  VectorXd alpha;

  inside(inputs where, VectorXd values, kernel_logs with, prior_mean_ptr expected)
      : at{std::move(where)}
      , targets{std::move(values)}
      , by{vector_of(with)}
      , logs{std::move(with)}
      , lean{std::move(expected)}
      , rows{rows_of(at)}
      , factor{targets.size(), targets.size()} {
    ArrayXd squared = (pair_distances(at) * by.weights).array();
    scatter(by.variance * matern(squared) + mean_variance, by.on_diagonal(), vector_of(at.noises()),
            factor);
    Eigen::LLT<Eigen::Ref<MatrixXd>, Lower> done{factor};
    alpha = done.solve(targets);
    if (factor.rows() <= most_in_one_panel)
      factor_rows = factor;
  }

  /// Squared distances from all points to one.
  [[nodiscard]] ArrayXd distances_to(const double* point) const {
    ArrayXd result = ArrayXd::Zero(rows.rows());
    for (Index j = 0; j < rows.cols(); ++j) {
      if (at.is_category(static_cast<std::size_t>(j)))
        result += by.weights[j] * (rows.col(j).array() != point[j]).cast<double>();
      else
        result += by.weights[j] * (rows.col(j).array() - point[j]).square();
    }
    return result;
  }

  /// Covariances with other points, one column per point.
  [[nodiscard]] MatrixXd covariances_with(const inputs& others) const {
    MatrixXd result{rows.rows(), index(others.size())};
    for (Index c = 0; c < result.cols(); ++c) {
      const auto* point = others.cells().data() + static_cast<std::size_t>(c) * others.dimensions();
      result.col(c) = by.variance * matern(distances_to(point)) + mean_variance;
    }
    return result;
  }

  /// Predictions: values of the process plus the expected values there.
  [[nodiscard]] std::vector<double> leaning(const inputs& where, const VectorXd& rest) const {
    std::vector<double> result{rest.begin(), rest.end()};
    if (lean == nullptr)
      return result;
    auto expected = lean->at(where);
    for (std::size_t i = 0; i < result.size(); ++i)
      result[i] += expected[i];
    return result;
  }
};

model::model(inputs at, std::vector<double> targets, kernel_logs logs, prior_mean_ptr lean) {
  auto rest = vector_of(without(at, std::move(targets), lean));
  inside_ = std::make_shared<const inside>(std::move(at), std::move(rest), std::move(logs),
                                           std::move(lean));
}

void model::predict(const inputs& at, std::vector<double>& means,
                    std::vector<double>& variances) const {
  const auto& x = *inside_;
  auto covariances = x.covariances_with(at);
  means = x.leaning(at, covariances.transpose() * x.alpha);
  if (x.factor_rows.size() > 0)
    solve_lower(x.factor_rows, covariances);
  else
    x.factor.triangularView<Lower>().solveInPlace(covariances);
  variances.resize(at.size());
  for (Index c = 0; c < index(at.size()); ++c)
    variances[static_cast<std::size_t>(c)] = std::max(
        least_variance, x.by.variance + mean_variance - covariances.col(c).squaredNorm());
}

std::vector<double> model::means(const inputs& at) const {
  return inside_->leaning(at, inside_->covariances_with(at).transpose() * inside_->alpha);
}

std::vector<double> model::correlations(const inputs& one) const {
  ArrayXd all = matern(inside_->distances_to(one.cells().data()));
  return {all.begin(), all.end()};
}

model model::believing(const inputs& more) const {
  auto all = inside_->at;
  auto targets = inside_->leaning(all, inside_->targets);
  auto believed = means(more);
  targets.insert(targets.end(), believed.begin(), believed.end());
  all.append(more);
  return model{std::move(all), std::move(targets), inside_->logs, inside_->lean};
}

} // namespace tune::gp
