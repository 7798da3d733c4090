/// Problems with several objectives and known Pareto fronts, to compare searchers on.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/space/space.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace tune::quality {

struct front_problem {
  std::string name;
  std::shared_ptr<const search_space> space;
  std::uint32_t objectives = 2;
  /// All to be minimised.
  std::function<std::vector<double>(const object&)> f;
  /// Configurations whose values lie along the front, close to one another.
  std::vector<object> best;
};

/// All of them.
[[nodiscard]] std::vector<front_problem> front_problems();

/// What the volume that a set of values dominates is measured by.
struct front_scale {
  std::uint32_t objectives = 2;
  /// Of each objective the value that 19 of 20 random draws are below. What is worse counts
  /// nothing.
  std::vector<double> reference;
  /// Of the whole front.
  double best = 1;
  /// The median over sets of ten random draws.
  double ten_draws = 0;

  /// The volume of values, one set of objectives after the other.
  [[nodiscard]] double volume(const std::vector<double>& values) const;
  /// What a volume is short of the best: 1 for the median of ten draws, between 0 and 10.
  [[nodiscard]] double missed(double volume) const;
};

/// Found by 4,000 random draws, the same for each call.
[[nodiscard]] front_scale front_scale_of(const front_problem& what);

} // namespace tune::quality
