/// Rules that may change from one head of an experiment to the next.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/experiment/settings.hpp"
#include "tune/core/stop/stopper.hpp"

#include <memory>
#include <optional>
#include <vector>

namespace tune {

/// The rules that an experiment follows from some head on. Limits, budgets and stop conditions may
/// differ when it is resumed; earlier decisions followed the rules of their own time.
struct rule_change {
  experiment_settings settings;
  /// Empty: the present ones stay, with everything that they have seen.
  std::optional<std::vector<std::unique_ptr<stopper>>> stoppers;
};

} // namespace tune
