/// Comparisons in conditions that have no effect, because no value of the parameter makes a
/// difference: mostly typing errors.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/space/space.hpp"

#include <string>
#include <vector>

namespace tune {

/// A comparison without effect.
struct idle_comparison {
  /// The parameter that has the condition.
  std::string parameter;
  /// Explanation for people: `kernel == polly never holds: kernel is choice(rbf, poly)`.
  std::string why;
};

/// Finds comparisons of a parameter with values that it can never have, or never exceed. Constant
/// parameters are left out: fixing one makes its comparisons idle on purpose.
[[nodiscard]] std::vector<idle_comparison> idle_comparisons(const search_space& space);

} // namespace tune
