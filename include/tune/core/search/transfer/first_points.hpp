/// The best configurations of earlier experiments, which are tried before anything is learnt.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/search/transfer/source.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace tune::transfer {

struct first_point {
  /// Latent point.
  cube_point at;
  /// "earlier 1: results/first, trial 00007".
  std::string origin;
};

/// Number of configurations of a design that are taken from earlier experiments: the best two of
/// one experiment, or one of each if there are more, at most four; and at most half of the design.
[[nodiscard]] std::size_t count_of_first(std::size_t design, std::size_t experiments);

/// The best of each experiment in turn, then the next best: only those at least a tenth of the
/// cube's diagonal away from the ones already taken. Coordinates that an experiment does not know
/// are in the middle for its first point, and random for the others.
/// @returns `count` of them, or fewer.
[[nodiscard]] std::vector<first_point> first_points(const encoding& space,
                                                    std::span<const source> from, std::size_t count,
                                                    std::uint64_t seed);

} // namespace tune::transfer
