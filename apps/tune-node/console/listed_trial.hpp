/// One trial as it is listed: in the status block, in `tune-node trials`, in files.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/ids.hpp"
#include "tune/core/trial/status.hpp"
#include "tune/core/value.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace tune::cli {

/// What is known of one trial.
struct listed_trial {
  trial_id trial;
  trial_status status = trial_status::pending;
  /// The last `training_iteration` reported; 0 where none was.
  std::uint64_t iterations = 0;
  /// The objectives in the experiment's order, as the user's program gave them; null where missing.
  std::vector<value> objectives{};
  /// May be null.
  config_ptr config{};
  /// Why it ended, or what happened last. Text from outside.
  std::string reason{};
  std::uint32_t failures = 0;
  /// Training time so far.
  std::chrono::nanoseconds age{0};
};

} // namespace tune::cli
