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
  /// To be minimised; NaN where the trial fails.
  std::function<double(const object&)> f;
  /// A configuration of the least value.
  object best;
  /// The least value.
  double optimum = 0;
  /// Standard deviation of what is added to what the searcher is told.
  double noise = 0;
  /// Whether parts of the space depend on others.
  bool conditional = false;
};

/// All of them, in the order of the tables in docs/searchers.md.
[[nodiscard]] std::vector<problem> all_problems();

/// What regret is measured by.
struct scale {
  /// Regret 0.
  double optimum = 0;
  /// Regret 1: the median of the best of ten random draws.
  double ten_draws = 1;

  /// Regret of a value, between 0 and 10: as bad as that is a run with nothing but failures.
  [[nodiscard]] double regret(double value) const;
};

/// Found by 20,000 random draws, the same for each call.
[[nodiscard]] scale scale_of(const problem& what);

} // namespace tune::quality
