/// What may change from one head of an experiment to the next.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/experiment/settings.hpp"
#include "tune/core/stop/stopper.hpp"

#include <memory>
#include <optional>
#include <vector>

namespace tune {

/// What an experiment goes by from some head on. Limits, budgets and stop conditions may be others
/// when it is gone on with; what was decided before was decided by those of its own time.
struct rule_change {
  experiment_settings settings;
  /// Nothing: those there are stay, with all that they have seen.
  std::optional<std::vector<std::unique_ptr<stopper>>> stoppers;
};

} // namespace tune
