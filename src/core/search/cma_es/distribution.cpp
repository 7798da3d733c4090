// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/search/cma_es/distribution.hpp"

#include "tune/core/rng.hpp"
#include "tune/core/stable_math.hpp"

#include <Eigen/Core>
#include <Eigen/Eigenvalues>

#include <algorithm>
#include <cassert>
#include <cmath>
#include <numbers>

namespace tune::cma_es {

namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using view = Eigen::Map<VectorXd>;
using const_view = Eigen::Map<const VectorXd>;
using matrix_view = Eigen::Map<MatrixXd>;
using const_matrix_view = Eigen::Map<const MatrixXd>;

/// Replaces eigenvalues that rounding made negative, and divisors that are 0.
constexpr double tiny = 1e-8;
/// Smallest probability of a tail.
constexpr double least_tail = 1e-10;
/// Largest change of ln σ in one generation: a factor of e.
constexpr double most_growth = 1;

const_view seen(const vector& x) {
  return {x.data(), static_cast<Index>(x.size())};
}

view seen(vector& x) {
  return {x.data(), static_cast<Index>(x.size())};
}

const_matrix_view square(const vector& x, std::size_t n) {
  return {x.data(), static_cast<Index>(n), static_cast<Index>(n)};
}

matrix_view square(vector& x, std::size_t n) {
  return {x.data(), static_cast<Index>(n), static_cast<Index>(n)};
}

double power(double base, double exponent) {
  return stable_exp(exponent * stable_log(base));
}

double normal_tail(double z) {
  return 0.5 * std::erfc(z / std::numbers::sqrt2);
}

/// Distance in standard deviations of the border beyond which the probability `tail` lies.
double deviations(double tail) {
  return -normal_quantile(tail);
}

} // namespace

distribution::distribution(const constants& how, vector mean, double sigma, vector covariance)
    : mean_{std::move(mean)}
    , sigma_{sigma}
    , covariance_{std::move(covariance)}
    , path_c_(how.dimensions)
    , path_sigma_(how.dimensions)
    , stretch_(how.dimensions, 1)
    , root_(how.dimensions * how.dimensions)
    , inverse_(root_.size()) {
  assert(mean_.size() == how.dimensions);
  if (covariance_.empty()) {
    covariance_.resize(root_.size());
    square(covariance_, mean_.size()).setIdentity();
  }
  decompose();
}

void distribution::decompose() {
  auto n = mean_.size();
  auto c = square(covariance_, n);
  c = (0.5 * (c + c.transpose())).eval();
  Eigen::SelfAdjointEigenSolver<MatrixXd> solver{c};
  VectorXd lengths = solver.eigenvalues();
  for (auto& x : lengths)
    x = x > 0 ? x : tiny;
  condition_ = lengths.maxCoeff() / lengths.minCoeff();
  lengths = lengths.cwiseSqrt();
  longest_ = lengths.maxCoeff();
  const auto& axes = solver.eigenvectors();
  square(root_, n) = axes * lengths.asDiagonal() * axes.transpose();
  square(inverse_, n) = axes * lengths.cwiseInverse().asDiagonal() * axes.transpose();
}

vector distribution::at(std::span<const double> z) const {
  vector result(mean_.size());
  const_view drawn{z.data(), static_cast<Index>(z.size())};
  seen(result) = seen(mean_) + sigma_ * (square(root_, mean_.size()) * drawn);
  return result;
}

double distribution::deviation(std::size_t i) const {
  return sigma_ * stretch_[i] * std::sqrt(covariance_[i * mean_.size() + i]);
}

namespace {

/// Steps of a generation from the mean, in units of σ, best first; `white` as if C were 1.
struct steps {
  MatrixXd plain;
  MatrixXd white;

  /// Shortens steps not drawn from the distribution to a length that a draw may have.
  void clip(std::span<const member> of) {
    auto n = static_cast<double>(plain.rows());
    auto most = std::sqrt(n) + 2 * n / (n + 2);
    for (Index k = 0; k < plain.cols(); ++k) {
      auto length = white.col(k).norm();
      if (of[static_cast<std::size_t>(k)].own || length <= most)
        continue;
      plain.col(k) *= most / length;
      white.col(k) *= most / length;
    }
  }
};

/// Σ w y yᵀ, where negative weights are scaled by the length of their step.
MatrixXd spread(const steps& of, const vector& by) {
  VectorXd weights = seen(by);
  auto n = static_cast<double>(of.plain.rows());
  for (Index k = 0; k < weights.size(); ++k) {
    if (weights[k] < 0)
      weights[k] *= n / (of.white.col(k).squaredNorm() + tiny);
  }
  return of.plain * weights.asDiagonal() * of.plain.transpose();
}

} // namespace

void distribution::learn(const constants& how, std::span<const member> best_first,
                         const shares& by) {
  assert(best_first.size() == how.population);
  auto n = mean_.size();
  steps all;
  all.plain.resize(static_cast<Index>(n), static_cast<Index>(best_first.size()));
  for (std::size_t k = 0; k < best_first.size(); ++k)
    all.plain.col(static_cast<Index>(k)) = (seen(best_first[k].at) - seen(mean_)) / sigma_;
  all.white = square(inverse_, n) * all.plain;
  all.clip(best_first);
  ++generation_;

  auto p_sigma = seen(path_sigma_);
  p_sigma = (1 - how.c_sigma) * p_sigma
            + std::sqrt(how.c_sigma * (2 - how.c_sigma) * how.mu_eff) * (all.white * seen(by.mean));
  auto length = p_sigma.norm();
  VectorXd step = all.plain * seen(by.mean);
  // While σ grows fast, C's path stalls, and C keeps what the path would have added.
  auto early = 1 - power(1 - how.c_sigma, 2 * (static_cast<double>(generation_) + 1));
  auto moves = length / std::sqrt(early) < (1.4 + 2 / (static_cast<double>(n) + 1)) * how.chi;
  auto rate = how.c_c * (2 - how.c_c);
  auto p_c = seen(path_c_);
  p_c = (1 - how.c_c) * p_c + (moves ? std::sqrt(rate * how.mu_eff) : 0) * step;
  auto kept = 1 - how.c_1 - how.c_mu * seen(by.shape).sum() + (moves ? 0 : how.c_1 * rate);
  auto c = square(covariance_, n);
  c = (kept * c + how.c_1 * p_c * p_c.transpose() + how.c_mu * spread(all, by.shape)).eval();
  seen(mean_) += sigma_ * step;
  sigma_ *= stable_exp(std::min(most_growth, how.c_sigma / how.d_sigma * (length / how.chi - 1)));
  decompose();
}

void distribution::keep_margin(std::size_t i, double low, double high, double margin) {
  auto scale = deviation(i);
  auto& mean = mean_[i];
  auto below = normal_tail((mean - low) / scale);
  auto above = normal_tail((high - mean) / scale);
  if (low == high || std::max(below, above) > 0.5) {
    if (std::min(below, above) < margin)
      mean = high + (mean > high ? 1 : -1) * scale * deviations(margin);
    return;
  }
  auto inside = 1 - below - above;
  below = std::max(below, margin / 2);
  above = std::max(above, margin / 2);
  // The probability that the tails gained is taken from all three parts.
  auto share = (1 - below - above - inside) / (below + inside + above - 1.5 * margin);
  auto far_low = below + share * (below - margin / 2);
  auto far_high = above + share * (above - margin / 2);
  far_low = deviations(std::clamp(far_low, least_tail, 0.5 - least_tail));
  far_high = deviations(std::clamp(far_high, least_tail, 0.5 - least_tail));
  stretch_[i] *= (high - low) / ((far_low + far_high) * scale);
  mean = (low * far_high + high * far_low) / (far_low + far_high);
}

} // namespace tune::cma_es
