// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/schedule/pb2/gaussian_process.hpp"

#include "tune/core/schedule/pb2/box_climb.hpp"

#include <Eigen/Cholesky>
#include <Eigen/Core>

#include <cassert>
#include <cmath>
#include <limits>
#include <numbers>
#include <utility>

namespace tune::pb2 {

namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

/// Keeps the matrix invertible if places coincide.
constexpr double jitter = 1e-8;

double squared_distance(const place& x, const place& y) {
  auto sum = 0.0;
  for (std::size_t i = 0; i < x.at.size(); ++i)
    sum += (x.at[i] - y.at[i]) * (x.at[i] - y.at[i]);
  return sum;
}

Eigen::Index size_of(const std::vector<place>& xs) {
  return static_cast<Eigen::Index>(xs.size());
}

const place& at(const std::vector<place>& xs, Eigen::Index i) {
  return xs[static_cast<std::size_t>(i)];
}

VectorXd covariances(const kernel& by, const std::vector<place>& xs, const place& y) {
  VectorXd result(size_of(xs));
  for (Eigen::Index i = 0; i < result.size(); ++i)
    result[i] = covariance(by, at(xs, i), y);
  return result;
}

/// Squared distances in place and distances in time of all pairs. They stay the same while a kernel
/// is fitted.
struct distances {
  MatrixXd squared;
  MatrixXd between;

  explicit distances(const std::vector<place>& xs)
      : squared(size_of(xs), size_of(xs)), between(size_of(xs), size_of(xs)) {
    for (Eigen::Index i = 0; i < squared.rows(); ++i) {
      for (Eigen::Index j = 0; j <= i; ++j) {
        squared(i, j) = squared(j, i) = squared_distance(at(xs, i), at(xs, j));
        between(i, j) = between(j, i) = std::abs(at(xs, i).time - at(xs, j).time);
      }
    }
  }

  [[nodiscard]] MatrixXd matrix(const kernel& by) const {
    auto decay = std::log(1 - by.epsilon) / 2;
    return by.variance * (between.array() * decay - squared.array() / by.length).exp();
  }
};

double log_likelihood(const Eigen::LLT<MatrixXd>& factor, const VectorXd& targets,
                      const VectorXd& weights) {
  auto determinant = factor.matrixLLT().diagonal().array().log().sum();
  auto n = static_cast<double>(targets.size());
  return -targets.dot(weights) / 2 - determinant - n / 2 * std::log(2 * std::numbers::pi);
}

VectorXd vector_of(const std::vector<double>& xs) {
  return Eigen::Map<const VectorXd>(xs.data(), static_cast<Eigen::Index>(xs.size()));
}

/// Kernel of the parameters that are optimised: log σ², log ℓ, ε and log noise.
kernel kernel_of(std::span<const double> x) {
  return {std::exp(x[0]), std::exp(x[1]), x[2], std::exp(x[3])};
}

const box& kernel_box() {
  static const auto wide = std::log(1e5) / 2;
  static const box result{{-wide, std::log(1e-5), 0, std::log(1e-5)}, {wide, 0, 0.5, wide}};
  return result;
}

double likelihood_slope(const distances& of, const VectorXd& targets, std::span<const double> x,
                        std::span<double> gradient) {
  auto by = kernel_of(x);
  MatrixXd plain = of.matrix(by);
  MatrixXd noisy = plain;
  noisy.diagonal().array() += by.noise + jitter;
  Eigen::LLT<MatrixXd> factor{noisy};
  if (factor.info() != Eigen::Success)
    return -std::numeric_limits<double>::infinity();
  VectorXd weights = factor.solve(targets);
  // With S = ww' - K⁻¹, the derivative along θ is half the sum over the elements of S·dK/dθ.
  MatrixXd s = weights * weights.transpose()
               - factor.solve(MatrixXd::Identity(noisy.rows(), noisy.cols()));
  MatrixXd both = s.cwiseProduct(plain);
  gradient[0] = both.sum() / 2;
  gradient[1] = both.cwiseProduct(of.squared).sum() / by.length / 2;
  gradient[2] = -both.cwiseProduct(of.between).sum() / (1 - by.epsilon) / 4;
  gradient[3] = s.trace() * by.noise / 2;
  return log_likelihood(factor, targets, weights);
}

} // namespace

double covariance(const kernel& by, const place& x, const place& y) {
  auto decay = std::log(1 - by.epsilon) / 2;
  return by.variance
         * std::exp(decay * std::abs(x.time - y.time) - squared_distance(x, y) / by.length);
}

struct gaussian_process::inside {
  kernel by;
  std::vector<place> where;
  VectorXd targets;
  Eigen::LLT<MatrixXd> factor;
  /// K⁻¹ times the targets.
  VectorXd weights;
};

gaussian_process::gaussian_process(kernel by, std::vector<place> where,
                                   std::vector<double> targets) {
  assert(!where.empty() && where.size() == targets.size());
  auto made = std::make_shared<inside>();
  made->by = by;
  MatrixXd noisy = distances{where}.matrix(by);
  noisy.diagonal().array() += by.noise + jitter;
  made->factor.compute(noisy);
  made->where = std::move(where);
  made->targets = vector_of(targets);
  made->weights = made->factor.solve(made->targets);
  inside_ = std::move(made);
}

belief gaussian_process::at(const place& x) const {
  auto shared = covariances(inside_->by, inside_->where, x);
  auto known = shared.dot(inside_->factor.solve(shared));
  return {shared.dot(inside_->weights), std::max(inside_->by.variance - known, 0.0)};
}

belief gaussian_process::at(const place& x, std::span<double> mean_gradient,
                            std::span<double> variance_gradient) const {
  auto shared = covariances(inside_->by, inside_->where, x);
  VectorXd solved = inside_->factor.solve(shared);
  for (std::size_t j = 0; j < x.at.size(); ++j) {
    mean_gradient[j] = variance_gradient[j] = 0;
    for (Eigen::Index i = 0; i < shared.size(); ++i) {
      auto apart = x.at[j] - pb2::at(inside_->where, i).at[j];
      auto turn = -2 * apart / inside_->by.length * shared[i];
      mean_gradient[j] += inside_->weights[i] * turn;
      variance_gradient[j] -= 2 * solved[i] * turn;
    }
  }
  auto known = shared.dot(solved);
  return {shared.dot(inside_->weights), std::max(inside_->by.variance - known, 0.0)};
}

double gaussian_process::log_likelihood() const {
  return pb2::log_likelihood(inside_->factor, inside_->targets, inside_->weights);
}

const kernel& gaussian_process::by() const {
  return inside_->by;
}

const std::vector<place>& gaussian_process::places() const {
  return inside_->where;
}

kernel fitted_kernel(const std::vector<place>& where, const std::vector<double>& targets) {
  const distances of{where};
  const auto measured = vector_of(targets);
  const slope hill = [&](std::span<const double> x, std::span<double> gradient) {
    return likelihood_slope(of, measured, x, gradient);
  };
  constexpr unsigned most_steps = 50;
  // Kernels whose likelihoods differ by less are as good as each other.
  constexpr double least_gain = 1e-3;
  // Starts with much noise and with almost none: each leads to a maximum of its own.
  const std::vector<std::vector<double>> starts{{0, 0, 0.1, 0},
                                                {0, std::log(0.1), 0.1, std::log(0.05)}};
  summit best{starts.front(), -std::numeric_limits<double>::infinity()};
  for (const auto& start : starts) {
    if (auto top = climb(hill, kernel_box(), start, most_steps, least_gain); top.value > best.value)
      best = std::move(top);
  }
  return kernel_of(best.at);
}

} // namespace tune::pb2
