/// The best configurations of earlier experiments, to be tried before anything is learnt.
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
  /// Latent.
  cube_point at;
  /// "earlier 1: results/first, trial 00007".
  std::string origin;
};

/// How many of so many configurations of a design are taken from earlier experiments: the best two
/// of one, one of each where there are more, four at most; and half of the design at most.
[[nodiscard]] std::size_t count_of_first(std::size_t design, std::size_t experiments);

/// The best of each experiment in turn, then the next best: those that lie no nearer than a tenth
/// of the cube's diagonal to one that was taken. What an experiment does not know is in the middle
/// for its first one, and random for the others.
/// @returns `count` of them, or fewer.
[[nodiscard]] std::vector<first_point> first_points(const encoding& space,
                                                    std::span<const source> from, std::size_t count,
                                                    std::uint64_t seed);

} // namespace tune::transfer
