/// How much less certain values of fewer runs are than others.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/search/run_spread.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <vector>

namespace tune {

/// Of each value by how much its squared standard error is larger than that of the most certain
/// one. What all have in common is for a model to find out by itself: told all of it, models did
/// worse (docs/searchers.md). 0 where nothing is known.
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
