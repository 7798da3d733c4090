/// Extra uncertainty of values that were made of fewer runs.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/search/run_spread.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <vector>

namespace tune {

/// For each value the excess of its squared standard error over that of the most certain value. The
/// common part is left for a model to find out by itself: models that were told all of it did worse
/// (docs/searchers.md). 0 if nothing is known.
[[nodiscard]] inline std::vector<double>
excess_noise(const std::vector<std::optional<run_spread>>& of) {
  pooled_spread all;
  for (const auto& x : of)
    all.add(x);
  auto least = std::numeric_limits<double>::infinity();
  for (const auto& x : of)
    least = x ? std::min(least, all.variance_of(x)) : least;
  std::vector<double> result;
  for (const auto& x : of)
    result.push_back(x ? all.variance_of(x) - least : 0);
  return result;
}

} // namespace tune
