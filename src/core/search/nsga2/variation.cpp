// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/search/nsga2/variation.hpp"

#include <algorithm>
#include <cmath>

namespace tune::nsga2 {

namespace {

/// Numbers closer than this count as equal.
constexpr double least_difference = 1e-12;

/// Draws a category other than `x`.
double other_category(double x, double cells, rng& from) {
  auto drawn = static_cast<double>(from.below(static_cast<std::uint64_t>(cells) - 1));
  return drawn < x ? drawn : drawn + 1;
}

/// Mutates a number; a discrete one moves by at least one cell.
double stepped(const axis& of, double x, const variation& how, rng& from) {
  auto made = mutated(x, from.unit(), how.mutation_index);
  if (!of.is_discrete() || of.snapped(made) != of.snapped(x))
    return made;
  auto up = made > x || (made == x && x < 0.5);
  auto width = 1 / of.cells();
  auto next = of.snapped(x) + (up ? width : -width);
  return next < 0 || next > 1 ? of.snapped(x) + (up ? -width : width) : next;
}

} // namespace

double crossed(double x, double y, double share, double index) {
  auto low = std::min(x, y);
  auto high = std::max(x, y);
  if (high - low < least_difference)
    return x;
  // The nearer bound limits how far a child may lie outside of its parents' interval.
  auto room = x < y ? low : 1 - high;
  auto alpha = 2 - std::pow(1 + 2 * room / (high - low), -(index + 1));
  auto spread = share * alpha <= 1 ? std::pow(share * alpha, 1 / (index + 1))
                                   : std::pow(1 / (2 - share * alpha), 1 / (index + 1));
  auto middle = (low + high) / 2;
  auto half = spread * (high - low) / 2;
  return std::clamp(x < y ? middle - half : middle + half, 0.0, 1.0);
}

double mutated(double x, double share, double index) {
  auto power = 1 / (index + 1);
  double step = 0;
  if (share < 0.5) {
    auto base = 2 * share + (1 - 2 * share) * std::pow(1 - x, index + 1);
    step = std::pow(base, power) - 1;
  } else {
    auto base = 2 * (1 - share) + (2 * share - 1) * std::pow(x, index + 1);
    step = 1 - std::pow(base, power);
  }
  return std::clamp(x + step, 0.0, 1.0);
}

cube_point child_of(const encoding& space, const cube_point& x, const cube_point& y,
                    const variation& how, rng& from) {
  auto result = x;
  auto n = result.size();
  auto crosses = from.unit() < how.crossover;
  auto chance
      = how.mutation > 0 ? how.mutation : 1 / static_cast<double>(std::max<std::size_t>(n, 1));
  for (std::size_t i = 0; i < n; ++i) {
    const auto& on = space.at(i);
    if (crosses && from.unit() < 0.5)
      result[i] = on.is_category() ? y[i] : crossed(x[i], y[i], from.unit(), how.crossover_index);
    if (from.unit() < chance)
      result[i] = on.is_category() ? other_category(result[i], on.cells(), from)
                  : space.is_relative(i)
                      ? stepped(space.axis_at(i, result).value_or(on), result[i], how, from)
                      : stepped(on, result[i], how, from);
  }
  return result;
}

} // namespace tune::nsga2
