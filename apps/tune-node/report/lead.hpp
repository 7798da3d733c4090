/// By how much the winner leads, and how that compares with noise.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "report/study.hpp"

#include <optional>

namespace tune::cli {

/// In the metric's own unit.
struct study_lead {
  /// Below 0 if the second has the better mean: then the winner is the one that was confirmed, or
  /// it is not judged by means.
  double by = 0;
  /// With runs of the same configuration: the standard error of the difference. Else the standard
  /// deviation of the values of the second to the fifth best, which is no measure of noise, but all
  /// there is.
  double noise = 0;
  /// Whether `noise` is of runs of the same configuration.
  bool is_measured = false;
  /// The lead is at least twice a measured noise, or more than that spread.
  bool is_clear = false;
};

/// Nothing with fewer than two configurations that can be compared, or fewer than five trials where
/// nothing ran twice.
[[nodiscard]] std::optional<study_lead> lead_of(const study& x);

} // namespace tune::cli
