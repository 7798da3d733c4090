/// Names the limit by which an experiment ends as `experiment_status::time_limit`.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string_view>

namespace tune {

/// Reason of an end by `time_limit`: how long the experiment itself may run.
inline constexpr std::string_view time_limit_reached = "the time limit was reached";

/// What the reason goes on with where the experiment was never served at its head.
inline constexpr std::string_view was_queued = "; it was queued at the head all the time";

/// Reason of an end by `training_limit`: how long its trials may train, in sum.
inline constexpr std::string_view training_limit_reached
    = "the trials have trained for as long as training_limit allows";

} // namespace tune
