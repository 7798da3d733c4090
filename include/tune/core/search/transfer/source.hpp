/// An earlier experiment laid out in the space of another one.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/search/earlier.hpp"
#include "tune/core/search/learner/archive.hpp"

#include <cstddef>
#include <map>
#include <string>
#include <vector>

namespace tune::transfer {

/// An earlier experiment's trials as points. Unknown coordinates are NaN.
struct source {
  std::string name;
  std::vector<learning::result> results;
  /// The trial of each result.
  std::vector<trial_id> trials;
  /// For each axis, whether any trial has a coordinate there: the source says nothing about the
  /// others.
  std::vector<bool> knows;
};

/// Root of the mean squared distance on some axes; a different category, or a coordinate that only
/// one of the points has, counts 1. 0 if there are no axes.
[[nodiscard]] double distance_on(const std::vector<bool>& axes, const encoding& space,
                                 const cube_point& a, const cube_point& b);

/// Lays out the trials of an experiment; trials outside of the space are left out.
[[nodiscard]] source laid_out(const encoding& space, const earlier_experiment& from);

/// The part of an earlier experiment that is taken over, and counts of the rest.
struct adaptation {
  earlier_experiment what;
  /// Number of trials outside of the space.
  std::size_t outside = 0;
  /// Number of trials with another value for a parameter that is constant now, while others had its
  /// value.
  std::size_t elsewhere = 0;
  /// Number of trials beyond the limit.
  std::size_t surplus = 0;
  /// Whether any trial has a parameter that varies now.
  bool overlaps = false;
};

/// Takes over the data that is relevant for a space: from each trial the parameters of that space.
///
/// Trials with a value outside of its parameter's domain are left out. If some trials have the
/// values that parameters are fixed to now, the others are left out; if none has, all are taken:
/// the whole task may be a different one. Of more than `most` the best `most` / 2 are taken, and as
/// many of the others, evenly by rank; failed ones rank last.
/// @param from Whole configurations.
/// @param most Largest number of trials taken. [>= 2]
[[nodiscard]] adaptation adapted(const encoding& space, earlier_experiment from, std::size_t most);

/// Most trials taken over from all earlier experiments together, and from each. Twice the number
/// that a process fits its kernel to (search/gp), and the same number: beyond it kernels and
/// densities hardly change, and suggestions would cost more than without earlier experiments.
inline constexpr std::size_t most_earlier = 400;
inline constexpr std::size_t most_of_each = 200;
/// Most earlier experiments.
inline constexpr std::size_t most_sources = 16;

/// Most trials of each of `experiments` earlier experiments. [1 … most_sources]
[[nodiscard]] constexpr std::size_t share_of_each(std::size_t experiments) {
  return experiments < 2 ? most_of_each : most_earlier / experiments;
}

} // namespace tune::transfer
