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
  /// Losses, all to be minimised.
  std::function<std::vector<double>(const object&)> f;
  /// Configurations whose values lie along the front, close to each other.
  std::vector<object> best;
};

/// All problems.
[[nodiscard]] std::vector<front_problem> front_problems();

/// The scale of a dominated volume.
struct front_scale {
  std::uint32_t objectives = 2;
  /// For each objective the value that 19 of 20 random draws are below. Worse values count nothing.
  std::vector<double> reference;
  /// Volume of the whole front.
  double best = 1;
  /// Median volume of sets of ten random draws.
  double ten_draws = 0;

  /// The volume dominated by `values`, one set of objectives after the other.
  [[nodiscard]] double volume(const std::vector<double>& values) const;
  /// The missed volume, between 0 and 10: 0 for the whole front, 1 for the median of ten draws.
  [[nodiscard]] double missed(double volume) const;
};

/// Computes the scale from 4,000 random draws, the same for each call.
[[nodiscard]] front_scale front_scale_of(const front_problem& what);

} // namespace tune::quality
