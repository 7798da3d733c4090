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

/// An earlier experiment's trials as points. What it does not know of a configuration is NaN.
struct source {
  std::string name;
  std::vector<learning::result> results;
  /// Of each result.
  std::vector<trial_id> trials;
  /// Of each axis whether any trial has a coordinate there: on the others it says nothing.
  std::vector<bool> knows;
};

/// Root of the mean squared distance on some axes; another category, or a coordinate that is there
/// in one of them alone, counts 1. 0 where there are no axes.
[[nodiscard]] double distance_on(const std::vector<bool>& axes, const encoding& space,
                                 const cube_point& a, const cube_point& b);

/// Trials that lie outside of the space are left out.
[[nodiscard]] source laid_out(const encoding& space, const earlier_experiment& from);

/// What is taken over of an earlier experiment, and what is not.
struct adaptation {
  earlier_experiment what;
  /// Trials outside of the space.
  std::size_t outside = 0;
  /// Trials with another value for what is constant now, while others had this one.
  std::size_t elsewhere = 0;
  /// Trials beyond the most.
  std::size_t surplus = 0;
  /// Whether a parameter that varies is known of any trial.
  bool overlaps = false;
};

/// Takes over what tells something about a space: of each trial the parameters that are there.
///
/// Trials with a value outside of its parameter's domain are none of this space. Where some have
/// the values that parameters are fixed to now, the others are left out; where none has, all are
/// taken: the whole task may be another one. Of more than `most` the better half of `most` is
/// taken, and of the others as many, evenly by rank; failed ones rank last.
/// @param from Whole configurations. @param most [>= 2]
[[nodiscard]] adaptation adapted(const encoding& space, earlier_experiment from, std::size_t most);

/// Trials that are taken over of all earlier experiments together, at most, and of each.
/// Twice what a process fits its kernel to (search/gp), and as many as that: beyond it kernels and
/// densities hardly change, and suggestions would cost more than they do cold.
inline constexpr std::size_t most_earlier = 400;
inline constexpr std::size_t most_of_each = 200;
/// So many experiments, at most.
inline constexpr std::size_t most_sources = 16;

/// Trials of each of so many experiments. [1 … most_sources]
[[nodiscard]] constexpr std::size_t share_of_each(std::size_t experiments) {
  return experiments < 2 ? most_of_each : most_earlier / experiments;
}

} // namespace tune::transfer
