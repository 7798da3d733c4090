// SPDX-License-Identifier: BSD-3-Clause
#include "descent.hpp"

#include <algorithm>
#include <cmath>
#include <deque>
#include <limits>
#include <utility>
#include <vector>

namespace tune::gp {

namespace {

using Eigen::VectorXd;

constexpr std::size_t most_pairs = 8;
constexpr double flat_gradient = 1e-3;
constexpr double least_gain = 1e-5;
constexpr double longest_step = 3;
constexpr double armijo = 1e-4;
constexpr double shrink = 0.4;
constexpr int most_shrinks = 12;

struct pair {
  VectorXd step;
  VectorXd bend;
};

/// The gradient without components that lead out of the box.
VectorXd free_part(const VectorXd& gradient, const VectorXd& at, const box& within) {
  VectorXd result = gradient;
  for (Eigen::Index i = 0; i < result.size(); ++i) {
    if ((at[i] <= within.low[i] && gradient[i] > 0) || (at[i] >= within.high[i] && gradient[i] < 0))
      result[i] = 0;
  }
  return result;
}

/// Inverse Hessian, as estimated from the pairs, times the gradient.
VectorXd two_loops(const std::deque<pair>& pairs, const VectorXd& gradient) {
  VectorXd q = gradient;
  std::vector<double> alphas(pairs.size());
  for (auto i = pairs.size(); i-- > 0;) {
    alphas[i] = pairs[i].step.dot(q) / pairs[i].step.dot(pairs[i].bend);
    q -= alphas[i] * pairs[i].bend;
  }
  if (pairs.empty())
    q *= std::min(1.0, 1 / gradient.norm());
  else
    q *= pairs.back().step.dot(pairs.back().bend) / pairs.back().bend.squaredNorm();
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    auto beta = pairs[i].bend.dot(q) / pairs[i].step.dot(pairs[i].bend);
    q += (alphas[i] - beta) * pairs[i].step;
  }
  return q;
}

VectorXd direction(std::deque<pair>& pairs, const VectorXd& gradient) {
  VectorXd q = two_loops(pairs, gradient);
  for (Eigen::Index i = 0; i < q.size(); ++i) {
    if (gradient[i] == 0)
      q[i] = 0;
  }
  if (q.dot(gradient) <= 0) {
    q = gradient;
    pairs.clear();
  }
  auto longest = q.cwiseAbs().maxCoeff();
  return longest > longest_step ? VectorXd{q * (longest_step / longest)} : q;
}

} // namespace

double descend(const smooth_function& f, const box& within, VectorXd& at, int iterations) {
  at = at.cwiseMax(within.low).cwiseMin(within.high);
  VectorXd gradient{at.size()};
  VectorXd next_gradient{at.size()};
  auto value = f(at, gradient);
  if (!std::isfinite(value))
    return std::numeric_limits<double>::infinity();
  std::deque<pair> pairs;
  for (int i = 0; i < iterations; ++i) {
    auto downhill = free_part(gradient, at, within);
    if (downhill.cwiseAbs().maxCoeff() < flat_gradient)
      break;
    auto way = direction(pairs, downhill);
    VectorXd next;
    double next_value = 0;
    auto found = false;
    auto length = 1.0;
    for (int k = 0; k < most_shrinks && !found; ++k, length *= shrink) {
      next = (at - length * way).cwiseMax(within.low).cwiseMin(within.high);
      next_value = f(next, next_gradient);
      found = std::isfinite(next_value) && next_value <= value - armijo * downhill.dot(at - next);
    }
    if (!found)
      break;
    pair moved{next - at, next_gradient - gradient};
    auto gain = value - next_value;
    at = next;
    value = next_value;
    gradient = next_gradient;
    if (moved.step.dot(moved.bend) > 1e-10 * moved.bend.squaredNorm())
      pairs.push_back(std::move(moved));
    if (pairs.size() > most_pairs)
      pairs.pop_front();
    if (gain < least_gain * (1 + std::abs(value)))
      break;
  }
  return value;
}

} // namespace tune::gp
