/// Fewer points that look the same: down-sampling of curves that keeps their extremes.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

namespace tune::cli {

using point = std::pair<double, double>;

/// The places of at most `most` of the values that keep the look of a curve: the first and the
/// last, and of each bucket between them those with the least and the greatest value, in order.
/// Values that are NaN are kept only where a bucket has no other. All places if there are no more
/// than `most`.
/// @param most [>= 4]
[[nodiscard]] std::vector<std::size_t> telling_places(std::span<const double> values,
                                                      std::size_t most);

/// The points at these places.
[[nodiscard]] std::vector<point> telling_points(std::span<const point> all, std::size_t most);

/// `count` places spread evenly over [0, size), ends included; all if there are no more.
[[nodiscard]] std::vector<std::size_t> spread_places(std::size_t size, std::size_t count);

} // namespace tune::cli
