// SPDX-License-Identifier: BSD-3-Clause
#include "view/sampling.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace tune::cli {

namespace {

std::vector<std::size_t> all_places(std::size_t size) {
  std::vector<std::size_t> result(size);
  std::iota(result.begin(), result.end(), std::size_t{0});
  return result;
}

/// Adds the least and the greatest of [from, to), in their order. @param to More than `from`.
void add_extremes(std::span<const double> values, std::size_t from, std::size_t to,
                  std::vector<std::size_t>& result) {
  auto least = from, most = from;
  for (auto i = from; i < to; ++i) {
    if (values[i] < values[least] || std::isnan(values[least]))
      least = i;
    if (values[i] > values[most] || std::isnan(values[most]))
      most = i;
  }
  result.push_back(std::min(least, most));
  if (least != most)
    result.push_back(std::max(least, most));
}

} // namespace

std::vector<std::size_t> telling_places(std::span<const double> values, std::size_t most) {
  const auto size = values.size();
  if (size <= most || most < 4)
    return size <= most ? all_places(size) : spread_places(size, most);
  const auto buckets = (most - 2) / 2;
  const auto inner = size - 2;
  std::vector<std::size_t> result{0};
  result.reserve(most);
  for (std::size_t i = 0; i < buckets; ++i)
    add_extremes(values, 1 + inner * i / buckets, 1 + inner * (i + 1) / buckets, result);
  result.push_back(size - 1);
  return result;
}

std::vector<point> telling_points(std::span<const point> all, std::size_t most) {
  std::vector<double> values(all.size());
  std::transform(all.begin(), all.end(), values.begin(), [](const point& x) { return x.second; });
  std::vector<point> result;
  for (auto place : telling_places(values, most))
    result.push_back(all[place]);
  return result;
}

std::vector<std::size_t> spread_places(std::size_t size, std::size_t count) {
  if (size <= count)
    return all_places(size);
  std::vector<std::size_t> result;
  for (std::size_t i = 0; i < count; ++i)
    result.push_back(count == 1 ? size - 1 : i * (size - 1) / (count - 1));
  return result;
}

} // namespace tune::cli
