/// What a report says about the checkpoint of its iteration.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/fingerprint.hpp"
#include "tune/core/value.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace tune {

/// Values of a report that a checkpoint of its iteration inherits.
struct report_marks {
  /// Retention ranks the checkpoint by this; greater is better. Empty: retention does not rank it.
  std::optional<double> rank;
  /// The objectives, greater being better; NaN where one is missing.
  std::vector<double> scores;
  /// Total violation of all constraints.
  double violation = 0;
  /// The objectives as they were reported, where the scores do not tell them.
  std::shared_ptr<const object> exact = {};

  void describe(fingerprint& into) const {
    into.add(std::uint64_t{rank.has_value()}).add(rank.value_or(0));
    for (auto score : scores)
      into.add(score);
  }
};

} // namespace tune
