/// Comparisons in conditions that tell nothing, because no value of the parameter makes a
/// difference: mostly slips of the pen.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/space/space.hpp"

#include <string>
#include <vector>

namespace tune {

/// One such comparison.
struct idle_comparison {
  /// The parameter whose condition it stands in.
  std::string parameter;
  /// For people: `kernel == polly never holds: kernel is choice(rbf, poly)`.
  std::string why;
};

/// Finds the comparisons of a parameter with what it can never be, or never be beyond. Parameters
/// that are constant are left out: who fixes one means its comparisons to be idle.
[[nodiscard]] std::vector<idle_comparison> idle_comparisons(const search_space& space);

} // namespace tune
