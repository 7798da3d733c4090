// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/schedule/pb2/box_climb.hpp"

#include <algorithm>
#include <cmath>
#include <deque>
#include <utility>

namespace tune::pb2 {

namespace {

using point = std::vector<double>;

constexpr std::size_t memory = 8;
/// A step must gain at least this part of what the slope predicts.
constexpr double enough = 1e-4;
constexpr unsigned most_halvings = 30;
/// A point is the top if no coordinate can gain more than this per unit.
constexpr double flat = 1e-7;

double dot(const point& x, const point& y) {
  auto sum = 0.0;
  for (std::size_t i = 0; i < x.size(); ++i)
    sum += x[i] * y[i];
  return sum;
}

point difference(const point& x, const point& y) {
  auto result = x;
  for (std::size_t i = 0; i < x.size(); ++i)
    result[i] -= y[i];
  return result;
}

void add(point& to, double times, const point& what) {
  for (std::size_t i = 0; i < to.size(); ++i)
    to[i] += times * what[i];
}

/// Estimate of the curvature from earlier steps.
class curvature {
public:
  void learn(point step, point turn) {
    auto product = dot(step, turn);
    // Only a falling slope is used: where the function is convex, nothing can be learned.
    if (!(product > 1e-12 * dot(turn, turn)))
      return;
    pairs_.push_back({std::move(step), std::move(turn), 1 / product});
    if (pairs_.size() > memory)
      pairs_.pop_front();
  }

  /// Gradient times the inverse curvature, by the two-loop recursion.
  [[nodiscard]] point direction(const point& gradient) const {
    auto result = gradient;
    std::vector<double> factors;
    for (auto i = pairs_.rbegin(); i != pairs_.rend(); ++i) {
      factors.push_back(i->per_product * dot(i->step, result));
      add(result, -factors.back(), i->turn);
    }
    if (!pairs_.empty()) {
      const auto& last = pairs_.back();
      auto scale = 1 / (last.per_product * dot(last.turn, last.turn));
      for (auto& x : result)
        x *= scale;
    }
    for (const auto& x : pairs_) {
      add(result, factors.back() - x.per_product * dot(x.turn, result), x.step);
      factors.pop_back();
    }
    return result;
  }

  void forget() { pairs_.clear(); }

private:
  struct pair {
    point step;
    /// Decrease of the slope along the step.
    point turn;
    double per_product;
  };
  std::deque<pair> pairs_;
};

class climber {
public:
  climber(const slope& hill, const box& within, point from)
      : hill_{hill}, within_{within}, at_{std::move(from)}, gradient_(at_.size()) {
    keep_inside(at_);
    value_ = hill_(at_, gradient_);
  }

  [[nodiscard]] double height() const { return value_; }

  /// @returns whether the value increased.
  bool step() {
    auto free = free_gradient();
    if (!std::isfinite(value_) || largest(free) < flat)
      return false;
    auto way = learned_.direction(free);
    hold_still(way);
    if (!(dot(way, free) > 0)) {
      learned_.forget();
      way = free;
    }
    return go(way, free) || retry(free);
  }

  summit result() && { return {std::move(at_), value_}; }

private:
  const slope& hill_;
  const box& within_;
  point at_;
  point gradient_;
  double value_ = 0;
  curvature learned_;
  bool was_steep_ = true;

  void keep_inside(point& x) const {
    for (std::size_t i = 0; i < x.size(); ++i)
      x[i] = std::clamp(x[i], within_.low[i], within_.high[i]);
  }

  [[nodiscard]] bool wants_out(std::size_t i) const {
    return (at_[i] <= within_.low[i] && gradient_[i] < 0)
           || (at_[i] >= within_.high[i] && gradient_[i] > 0);
  }

  void hold_still(point& x) const {
    for (std::size_t i = 0; i < x.size(); ++i) {
      if (wants_out(i))
        x[i] = 0;
    }
  }

  [[nodiscard]] point free_gradient() const {
    auto result = gradient_;
    hold_still(result);
    return result;
  }

  static double largest(const point& x) {
    auto result = 0.0;
    for (auto each : x)
      result = std::max(result, std::abs(each));
    return result;
  }

  /// Length of the first step: at most 1, since nothing is known of the curvature yet.
  [[nodiscard]] double first_length(const point& way) const {
    return was_steep_ ? std::min(1.0, 1 / std::sqrt(dot(way, way))) : 1;
  }

  bool go(const point& way, const point& free) {
    auto length = first_length(way);
    point next;
    point next_gradient(at_.size());
    for (unsigned i = 0; i < most_halvings; ++i, length /= 2) {
      next = at_;
      add(next, length, way);
      keep_inside(next);
      auto moved = difference(next, at_);
      auto value = hill_(next, next_gradient);
      if (!std::isfinite(value) || !(value > value_) || value < value_ + enough * dot(moved, free))
        continue;
      learned_.learn(std::move(moved), difference(gradient_, next_gradient));
      was_steep_ = false;
      at_ = std::move(next);
      gradient_ = std::move(next_gradient);
      value_ = value;
      return true;
    }
    return false;
  }

  /// Tries again along the gradient, since what was learned may mislead at a border.
  bool retry(const point& free) {
    learned_.forget();
    was_steep_ = true;
    return go(free, free);
  }
};

} // namespace

summit climb(const slope& hill, const box& within, std::vector<double> from, unsigned most_steps,
             double least_gain) {
  climber who{hill, within, std::move(from)};
  for (unsigned i = 0; i < most_steps; ++i) {
    auto before = who.height();
    if (!who.step() || who.height() - before < least_gain)
      break;
  }
  return std::move(who).result();
}

} // namespace tune::pb2
