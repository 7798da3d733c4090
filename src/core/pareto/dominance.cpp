// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/pareto/dominance.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace tune {

namespace {

std::span<const double> point_at(std::span<const double> values, std::size_t objectives,
                                 std::size_t i) {
  return values.subspan(i * objectives, objectives);
}

/// Range of each score; 0 where it is not finite.
std::vector<double> scales(std::span<const double> values, std::size_t objectives) {
  std::vector<double> result;
  for (std::size_t k = 0; k < objectives; ++k) {
    auto least = values[k];
    auto most = values[k];
    for (auto i = k; i < values.size(); i += objectives) {
      least = std::min(least, values[i]);
      most = std::max(most, values[i]);
    }
    auto range = most - least;
    result.push_back(range > 0 && std::isfinite(range) ? 1 / range : 0);
  }
  return result;
}

double distance(std::span<const double> x, std::span<const double> y,
                std::span<const double> scale) {
  auto result = 0.0;
  for (std::size_t k = 0; k < x.size(); ++k) {
    if (scale[k] > 0)
      result = std::max(result, std::abs(x[k] - y[k]) * scale[k]);
  }
  return result;
}

/// Rows of `of`, in falling lexicographic order, that no other dominates. @param rest The others.
std::vector<std::size_t> first_front(std::span<const double> values, std::size_t objectives,
                                     const std::vector<std::size_t>& of,
                                     std::vector<std::size_t>& rest) {
  std::vector<std::size_t> result;
  for (auto i : of) {
    auto x = point_at(values, objectives, i);
    auto falls = std::any_of(result.rbegin(), result.rend(),
                             [&](auto j) { return dominates(point_at(values, objectives, j), x); });
    (falls ? rest : result).push_back(i);
  }
  return result;
}

} // namespace

bool dominates(std::span<const double> x, std::span<const double> y) {
  auto better = false;
  for (std::size_t k = 0; k < x.size(); ++k) {
    if (x[k] < y[k])
      return false;
    better = better || x[k] > y[k];
  }
  return better;
}

std::vector<std::size_t> spread(std::span<const double> values, std::uint32_t objectives,
                                std::size_t count) {
  std::vector<std::size_t> result;
  if (count == 0)
    return result;
  auto points = values.size() / objectives;
  auto scale = scales(values, objectives);
  std::size_t next = 0;
  for (std::size_t i = 1; i < points; ++i) {
    if (values[i * objectives] > values[next * objectives])
      next = i;
  }
  // Distance of each point to the nearest chosen one; -1 if it is itself chosen.
  std::vector<double> nearest(points, std::numeric_limits<double>::infinity());
  while (result.size() < count) {
    result.push_back(next);
    nearest[next] = -1;
    auto newest = point_at(values, objectives, next);
    auto farthest = -1.0;
    for (std::size_t i = 0; i < points; ++i) {
      if (nearest[i] < 0)
        continue;
      nearest[i] = std::min(nearest[i], distance(point_at(values, objectives, i), newest, scale));
      if (nearest[i] > farthest) {
        farthest = nearest[i];
        next = i;
      }
    }
    if (farthest < 0)
      break;
  }
  return result;
}

std::vector<std::vector<std::size_t>>
non_dominated_fronts(std::span<const double> values, std::uint32_t objectives, std::size_t most) {
  std::vector<std::size_t> left(values.size() / objectives);
  std::iota(left.begin(), left.end(), std::size_t{0});
  // After sorting, no point is dominated by a later one.
  std::stable_sort(left.begin(), left.end(), [&](auto a, auto b) {
    auto x = point_at(values, objectives, a);
    auto y = point_at(values, objectives, b);
    return std::lexicographical_compare(y.begin(), y.end(), x.begin(), x.end());
  });
  std::vector<std::vector<std::size_t>> result;
  for (std::size_t count = 0; count < most && !left.empty();) {
    std::vector<std::size_t> rest;
    result.push_back(first_front(values, objectives, left, rest));
    count += result.back().size();
    std::sort(result.back().begin(), result.back().end());
    left = std::move(rest);
  }
  return result;
}

std::vector<double> crowding(std::span<const double> values, std::uint32_t objectives) {
  std::size_t m = objectives;
  auto count = values.size() / m;
  std::vector<double> result(count, 0);
  if (count == 0)
    return result;
  auto scale = scales(values, m);
  std::vector<std::size_t> order(count);
  for (std::size_t k = 0; k < m; ++k) {
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](auto a, auto b) { return values[a * m + k] < values[b * m + k]; });
    for (std::size_t i = 0; i < count; ++i) {
      auto is_end = i == 0 || i + 1 == count;
      result[order[i]]
          += is_end ? std::numeric_limits<double>::infinity()
                    : scale[k] * (values[order[i + 1] * m + k] - values[order[i - 1] * m + k]);
    }
  }
  return result;
}

} // namespace tune
