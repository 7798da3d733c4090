/// The points that are tried before there is anything to learn from.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/search/encoding/encoding.hpp"

#include <vector>

namespace tune {

/// How many points suit a space: 8, or twice the number of choices that a root category with
/// children has, up to 20.
[[nodiscard]] std::size_t design_size(const encoding& space);

/// A Latin hypercube: of `count` latent points each is alone in its stripe of every axis. The best
/// of thirty by the smallest distance between two, but that the first is in the middle of all
/// numbers. A function of the seed.
[[nodiscard]] std::vector<cube_point> initial_design(const encoding& space, std::size_t count,
                                                     std::uint64_t seed);

} // namespace tune
