// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/pareto/hypervolume.hpp"

#include <algorithm>
#include <vector>

namespace tune {

namespace {

/// Scores above the reference, all of them positive.
using heights = std::vector<double>;

double volume(std::vector<heights> points, std::size_t m);

double longest(const std::vector<heights>& points) {
  double result = 0;
  for (const auto& x : points)
    result = std::max(result, x[0]);
  return result;
}

double area(std::vector<heights> points) {
  std::sort(points.begin(), points.end(),
            [](const heights& a, const heights& b) { return a[0] > b[0]; });
  double result = 0;
  double top = 0;
  for (const auto& x : points) {
    if (x[1] > top) {
      result += x[0] * (x[1] - top);
      top = x[1];
    }
  }
  return result;
}

/// Sums the slices between neighbouring values of the last of `m` scores.
double sliced(std::vector<heights> points, std::size_t m) {
  std::sort(points.begin(), points.end(),
            [&](const heights& a, const heights& b) { return a[m - 1] > b[m - 1]; });
  double result = 0;
  std::vector<heights> above;
  for (std::size_t i = 0; i < points.size(); ++i) {
    above.push_back(points[i]);
    auto below = i + 1 < points.size() ? points[i + 1][m - 1] : 0;
    if (points[i][m - 1] > below)
      result += (points[i][m - 1] - below) * volume(above, m - 1);
  }
  return result;
}

double volume(std::vector<heights> points, std::size_t m) {
  if (m == 1)
    return longest(points);
  return m == 2 ? area(std::move(points)) : sliced(std::move(points), m);
}

} // namespace

double hypervolume(std::span<const double> values, std::uint32_t objectives,
                   std::span<const double> reference) {
  std::vector<heights> points;
  for (std::size_t i = 0; i + objectives <= values.size(); i += objectives) {
    heights x;
    for (std::size_t k = 0; k < objectives && values[i + k] > reference[k]; ++k)
      x.push_back(values[i + k] - reference[k]);
    if (x.size() == objectives)
      points.push_back(std::move(x));
  }
  return volume(std::move(points), objectives);
}

} // namespace tune
