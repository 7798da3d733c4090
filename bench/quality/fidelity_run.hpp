/// One experiment over recorded curves in virtual time: the runtime's own machine and rules.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quality/curves.hpp"

#include "tune/core/check/replay_check.hpp"

#include <array>
#include <cstdint>
#include <functional>

namespace tune::quality {

/// What regret and budget are measured by.
struct curve_scale {
  /// Regret 0: the best value of the table at the last level.
  double best = 0;
  /// Regret 1: the median of the best of ten random full trainings.
  double ten_draws = 1;
  /// Mean duration of a random full training. [s]
  double training = 1;

  /// At most 2: what a run without any report has. Below 0 where it was better before the last
  /// level.
  [[nodiscard]] double regret(double loss) const;
};

/// By 2,000 random configurations, the same for each call.
[[nodiscard]] curve_scale scale_of(const curve_set& of);

/// Shares of the budget after which regret is looked at.
inline constexpr std::array<double, 4> marks{0.1, 0.2, 0.5, 1};

struct fidelity_result {
  std::array<double, marks.size()> regret{};
  /// Trials that were begun.
  std::size_t trials = 0;
  /// Levels trained in all.
  std::size_t levels = 0;
};

struct fidelity_setting {
  std::uint64_t seed = 1;
  std::size_t workers = 4;
  /// Mean full trainings that the budget is worth, over all workers.
  double trainings = 20;
};

/// Simulates until the budget is spent.
[[nodiscard]] fidelity_result run_over(const curve_set& curves, const curve_scale& by,
                                       const fidelity_setting& how,
                                       const std::function<rule_set()>& rules);

} // namespace tune::quality
