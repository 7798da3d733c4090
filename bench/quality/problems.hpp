/// Problems with known optima, to compare searchers on.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/rng.hpp"
#include "tune/core/space/space.hpp"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace tune::quality {

struct problem {
  std::string name;
  std::shared_ptr<const search_space> space;
  /// Loss of a configuration, to be minimised; NaN if the trial fails.
  std::function<double(const object&)> f;
  /// A configuration with the least value.
  object best;
  /// The least value.
  double optimum = 0;
  /// Standard deviation of the noise in values that the searcher is told.
  double noise = 0;
  /// Whether some parameters depend on others.
  bool conditional = false;
};

/// All problems, in the order of the tables in docs/searchers.md.
[[nodiscard]] std::vector<problem> all_problems();

/// The scale of regret.
struct scale {
  /// Value of regret 0.
  double optimum = 0;
  /// Value of regret 1: the median of the best of ten random draws.
  double ten_draws = 1;

  /// Regret of a value, between 0 and 10; 10 is also that of a run with nothing but failures.
  [[nodiscard]] double regret(double value) const;
};

/// Computes the scale from 20,000 random draws, the same for each call.
[[nodiscard]] scale scale_of(const problem& what);

} // namespace tune::quality
