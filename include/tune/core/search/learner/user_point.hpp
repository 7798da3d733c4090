/// A point to evaluate, in the form in which searchers that learn suggest it.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/search/encoding/encoding.hpp"
#include "tune/core/search/points.hpp"
#include "tune/core/search/searcher.hpp"

#include <cstddef>
#include <cstdint>

namespace tune::learning {

/// A configuration, and the canonical point that represents it.
struct user_point {
  config_ptr config;
  cube_point at;
};

/// Point number `number`, from 0; parameters that it leaves open are drawn.
[[nodiscard]] user_point user_point_of(const initial_points& points, std::size_t number,
                                       const encoding& space, std::uint64_t seed);

/// Text shown as its origin: "point 1" for number 0.
[[nodiscard]] std::string user_point_origin(std::size_t number);

} // namespace tune::learning
