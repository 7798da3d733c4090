/// The points that are tried before there is anything to learn from.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/search/encoding/encoding.hpp"

#include <vector>

namespace tune {

/// Number of points that suits a space: 8, or twice the number of choices of a root category with
/// children, between 8 and 20.
[[nodiscard]] std::size_t design_size(const encoding& space);

/// A Latin hypercube: each of `count` latent points is alone in its stripe of every axis. Of thirty
/// such designs the one with the greatest distance between its two nearest points is taken; then
/// its first point is moved to the middle of all numbers. A function of the seed.
[[nodiscard]] std::vector<cube_point> initial_design(const encoding& space, std::size_t count,
                                                     std::uint64_t seed);

} // namespace tune
