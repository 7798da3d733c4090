/// Problems with known or well searched optima, to compare searchers on.
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
  /// Standard deviation of what is added to what the searcher is told.
  double noise = 0;
  /// The least value; NaN: to be searched for.
  double optimum = 0;
  /// Whether parts of the space depend on others.
  bool conditional = false;
};

[[nodiscard]] std::vector<problem> all_problems();

/// What regret is measured by.
struct scale {
  /// Regret 0.
  double optimum = 0;
  /// Regret 1: the median of the best of ten random draws.
  double ten_draws = 1;
};

/// Found by 20,000 random draws, the same for each call, and by climbing from the best of them
/// where the optimum is not known.
[[nodiscard]] scale scale_of(const problem& what);

} // namespace tune::quality
