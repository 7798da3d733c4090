/// One experiment over recorded curves in virtual time: the runtime's own machine and rules.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quality/curves.hpp"

#include "tune/core/check/replay_check.hpp"

#include <array>
#include <cstdint>
#include <functional>

namespace tune::quality {

/// The scale of regret and budget.
struct curve_scale {
  /// Regret 0: the best value of the table at the last level.
  double best = 0;
  /// Regret 1: the median of the best of ten random full trainings.
  double ten_draws = 1;
  /// Mean duration of a random full training. [s]
  double training = 1;

  /// Regret of a loss, at most 2, which is also that of a run without any report. Negative if the
  /// loss was better before the last level.
  [[nodiscard]] double regret(double loss) const;
};

/// Computes the scale from 2,000 random configurations, the same for each call.
[[nodiscard]] curve_scale scale_of(const curve_set& of);

/// Shares of the budget at which regret is measured.
inline constexpr std::array<double, 4> marks{0.1, 0.2, 0.5, 1};

struct fidelity_result {
  std::array<double, marks.size()> regret{};
  /// Number of trials begun.
  std::size_t trials = 0;
  /// Number of levels trained in all.
  std::size_t levels = 0;
};

struct fidelity_setting {
  std::uint64_t seed = 1;
  std::size_t workers = 4;
  /// The budget in mean full trainings, over all workers.
  double trainings = 20;
};

/// Simulates until the budget is spent.
[[nodiscard]] fidelity_result run_over(const curve_set& curves, const curve_scale& by,
                                       const fidelity_setting& how,
                                       const std::function<rule_set()>& rules);

} // namespace tune::quality
