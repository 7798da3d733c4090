// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/search/encoding/design.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace tune {

namespace {

constexpr int hypercubes = 30;
/// Beyond this many points a comparison of all pairs costs more than it is worth.
constexpr std::size_t most_compared = 64;

std::vector<std::size_t> shuffled(std::size_t count, rng& from) {
  std::vector<std::size_t> result(count);
  std::iota(result.begin(), result.end(), std::size_t{0});
  for (auto i = count; i > 1; --i)
    std::swap(result[i - 1], result[static_cast<std::size_t>(from.below(i))]);
  return result;
}

std::vector<cube_point> hypercube(const encoding& space, std::size_t count, rng& from) {
  std::vector<cube_point> result(count, cube_point(space.dimensions()));
  for (std::size_t j = 0; j < space.dimensions(); ++j) {
    auto stripes = shuffled(count, from);
    for (std::size_t i = 0; i < count; ++i) {
      auto u = (static_cast<double>(stripes[i]) + from.unit()) / static_cast<double>(count);
      const auto& x = space.at(j);
      result[i][j] = x.is_category() ? std::floor(u * x.cells()) : u;
    }
  }
  return result;
}

double distance(const encoding& space, const cube_point& a, const cube_point& b) {
  double result = 0;
  for (std::size_t j = 0; j < a.size(); ++j) {
    auto gap = a[j] - b[j];
    result += space.at(j).is_category() ? (gap != 0 ? 0.5 : 0) : gap * gap;
  }
  return result;
}

double smallest_distance(const encoding& space, const std::vector<cube_point>& points) {
  auto result = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < points.size(); ++i) {
    for (std::size_t k = 0; k < i; ++k)
      result = std::min(result, distance(space, points[i], points[k]));
  }
  return result;
}

} // namespace

std::size_t design_size(const encoding& space) {
  double most = 1;
  for (std::size_t i = 0; i < space.dimensions(); ++i) {
    if (space.at(i).is_category() && space.root_children(i) > 0)
      most = std::max(most, space.at(i).cells());
  }
  return static_cast<std::size_t>(std::clamp(2 * most, 8.0, 20.0));
}

std::vector<cube_point> initial_design(const encoding& space, std::size_t count,
                                       std::uint64_t seed) {
  rng from{seed, "initial design", 0};
  std::vector<cube_point> best;
  double widest = -1;
  auto tries = count <= most_compared ? hypercubes : 1;
  for (int i = 0; i < tries; ++i) {
    auto points = hypercube(space, count, from);
    auto gap = tries > 1 ? smallest_distance(space, points) : 0;
    if (gap > widest) {
      widest = gap;
      best = std::move(points);
    }
  }
  if (!best.empty()) {
    for (std::size_t j = 0; j < space.dimensions(); ++j)
      best[0][j] = space.at(j).is_category() ? space.draw(j, from) : 0.5;
  }
  return best;
}

} // namespace tune
