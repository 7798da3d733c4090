/// Results that are known before an experiment begins.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/ids.hpp"
#include "tune/core/value.hpp"

#include <cstdint>
#include <limits>
#include <vector>

namespace tune {

class searcher;

/// A configuration whose result is known: a searcher learns from it, and it is not run.
struct known_result {
  object config;
  /// `training_iteration` of the values. [>= 1]
  std::uint64_t fidelity = 1;
  /// The objectives, larger is better. Finite.
  std::vector<double> values;
  /// As in `observation`.
  std::vector<double> constraints = {};
};

/// Known results are told with trial numbers from here on, which no trial has.
inline constexpr std::uint64_t first_known_number = std::uint64_t{1} << 62U;

[[nodiscard]] inline bool is_known_result(trial_id x) {
  return x.number >= first_known_number;
}

/// Tells a searcher all known results, as those of ended trials; call before it is first asked.
void tell(searcher& to, const std::vector<known_result>& what);

} // namespace tune
