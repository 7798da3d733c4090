/// The timers of a run. Private to the runner.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/experiment/experiment.hpp"

#include <optional>
#include <set>

namespace tune {

/// Sees to it that no two timers run for the same time: many trials may come and go before the time
/// limit.
class due_timers {
public:
  /// Whether a timer is to be set for the next deadline: unless none is there, or an earlier timer
  /// runs.
  [[nodiscard]] bool set(const std::optional<instant>& deadline) {
    if (!deadline || (!all_.empty() && *all_.begin() <= *deadline))
      return false;
    all_.insert(*deadline);
    return true;
  }
  /// All timers up to `now` have rung.
  void rang(instant now) { all_.erase(all_.begin(), all_.upper_bound(now)); }

private:
  /// Due times of the timers that run.
  std::set<instant> all_;
};

} // namespace tune
