// SPDX-License-Identifier: BSD-3-Clause
#include "shuffles.hpp"

#include <Eigen/Cholesky>
#include <Eigen/Core>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

namespace tune {

namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr std::size_t shuffles = 199;
/// Least variance of noise: a kernel that was fitted to noise may take it for a ragged function,
/// and would look for the parameter in the raggedness alone.
constexpr double least_noise = 0.1;
/// Length scales of kernels of numbers: ragged, medium and nearly linear.
constexpr std::array<double, 3> lengths{0.5, 0.15, 2};
constexpr double category_length = 1;
constexpr double single_length = 0.5;

/// Row `i`, column `k`: the similarity of configurations i and k.
using similarities = MatrixXd;

double matern(double squared) {
  auto root = std::sqrt(5 * squared);
  return (1 + root + 5.0 / 3 * squared) * std::exp(-root);
}

similarities similarities_of(const gp::inputs& at, const axes& of, double length) {
  auto n = static_cast<Index>(at.size());
  auto coordinate = [&](Index point, std::size_t axis) {
    return at.cells()[static_cast<std::size_t>(point) * at.dimensions() + axis];
  };
  similarities result{n, n};
  for (Index k = 0; k < n; ++k) {
    for (Index i = 0; i <= k; ++i) {
      double squared = 0;
      for (auto axis = of.first; axis < of.first + of.count; ++axis) {
        auto gap = coordinate(i, axis) - coordinate(k, axis);
        squared += at.is_category(axis) ? (gap != 0 ? 1 : 0) : gap * gap;
      }
      result(i, k) = result(k, i) = matern(squared / (length * length));
    }
  }
  return result;
}

/// All kernels of one parameter.
std::vector<similarities> kernels_of(const gp::inputs& at, const axes& of) {
  std::vector<similarities> result;
  if (at.is_category(of.first))
    result.push_back(similarities_of(at, of, category_length));
  else
    for (auto length : lengths)
      result.push_back(similarities_of(at, of, length));
  for (std::size_t i = 0; of.count > 1 && i < of.count; ++i)
    result.push_back(similarities_of(at, {of.first + i, 1}, single_length));
  return result;
}

/// Correlations of all configurations by a model.
MatrixXd correlations_by(const gp::model& by, const encoding& space,
                         const std::vector<cube_point>& at, const std::vector<bool>& kept) {
  auto n = static_cast<Index>(at.size());
  MatrixXd result{n, n};
  for (Index k = 0; k < n; ++k) {
    gp::inputs one{space};
    one.add(at[static_cast<std::size_t>(k)]);
    auto column = by.correlations(one.with(kept));
    result.col(k) = Eigen::Map<const VectorXd>{column.data(), n};
  }
  return result;
}

/// Weights of pairs of configurations: large if they are alike in what the model leaves open. Of
/// the parameter by itself, and of the parameter together with others.
std::array<MatrixXd, 2> weights_of(const MatrixXd& correlations, const lesson& from,
                                   const gp::kernel_logs& logs) {
  auto n = correlations.rows();
  auto variance = std::exp(logs[logs.size() - 2]);
  auto noise = std::max(least_noise, std::exp(logs.back()));
  MatrixXd covariances = (variance * correlations.array() + 1).matrix();
  covariances.diagonal().array() += noise;
  Eigen::LLT<MatrixXd> factor{covariances};
  VectorXd rest = factor.solve(Eigen::Map<const VectorXd>{from.targets.data(), n});
  MatrixXd alone = rest * rest.transpose() - factor.solve(MatrixXd::Identity(n, n));
  MatrixXd together = alone.cwiseProduct(correlations);
  return {std::move(alone), std::move(together)};
}

/// Sums of the weights times a kernel's similarities in one deal.
/// @param dealt The configuration whose value each configuration gets.
std::array<double, 2> scores_in(const std::vector<Index>& dealt, const similarities& by,
                                const std::array<MatrixXd, 2>& weights) {
  auto n = by.rows();
  std::array<double, 2> result{};
  for (Index k = 1; k < n; ++k) {
    const auto* similar = by.data() + dealt[static_cast<std::size_t>(k)] * n;
    const auto* alone = weights[0].data() + k * n;
    const auto* together = weights[1].data() + k * n;
    for (Index i = 0; i < k; ++i) {
      auto x = similar[dealt[static_cast<std::size_t>(i)]];
      result[0] += alone[i] * x;
      result[1] += together[i] * x;
    }
  }
  return result;
}

void shuffle(std::vector<Index>& dealt, const std::vector<std::size_t>& among, rng& by) {
  for (auto left = among.size(); left > 1; --left) {
    auto other = static_cast<std::size_t>(by.below(left));
    std::swap(dealt[among[left - 1]], dealt[among[other]]);
  }
}

/// The largest of each row's numbers, in standard deviations of their columns. A column whose
/// numbers are all equal says nothing.
std::vector<double> largest_of(const MatrixXd& scores) {
  std::vector<double> result(static_cast<std::size_t>(scores.rows()),
                             -std::numeric_limits<double>::infinity());
  for (Index c = 0; c < scores.cols(); ++c) {
    VectorXd rest = scores.col(c).array() - scores.col(c).mean();
    auto deviation = std::sqrt(rest.squaredNorm() / static_cast<double>(rest.size()));
    if (!(deviation > 1e-9))
      continue;
    for (std::size_t i = 0; i < result.size(); ++i)
      result[i] = std::max(result[i], rest[static_cast<Index>(i)] / deviation);
  }
  return result;
}

} // namespace

double chance_of(const encoding& space, const lesson& from, const axes& of,
                 const gp::kernel_logs& without, const std::vector<bool>& kept, rng deals) {
  gp::inputs at{space};
  for (const auto& x : from.at)
    at.add(x);
  auto correlations = correlations_by({at.with(kept), from.targets, without}, space, from.at, kept);
  auto weights = weights_of(correlations, from, without);
  auto kernels = kernels_of(at, of);
  std::vector<std::size_t> having;
  for (std::size_t i = 0; i < from.at.size(); ++i) {
    if (!std::isnan(from.at[i][of.first]))
      having.push_back(i);
  }
  std::vector<Index> dealt(from.at.size());
  std::iota(dealt.begin(), dealt.end(), Index{0});
  MatrixXd scores{static_cast<Index>(shuffles + 1), static_cast<Index>(2 * kernels.size())};
  for (Index deal = 0; deal < scores.rows(); ++deal) {
    for (std::size_t k = 0; k < kernels.size(); ++k) {
      auto found = scores_in(dealt, kernels[k], weights);
      scores(deal, static_cast<Index>(2 * k)) = found[0];
      scores(deal, static_cast<Index>(2 * k + 1)) = found[1];
    }
    shuffle(dealt, having, deals);
  }
  auto found = largest_of(scores);
  // The true deal is the first. What differs by rounding is equal.
  auto as_good = std::count_if(found.begin(), found.end(),
                               [&](double x) { return x >= found.front() - 1e-9; });
  return static_cast<double>(as_good) / static_cast<double>(found.size());
}

} // namespace tune
