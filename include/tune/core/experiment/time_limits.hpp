/// Why an experiment ends as `experiment_status::time_limit`: which of its limits it is.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string_view>

namespace tune {

/// Of `time_limit`: how long the experiment itself has run.
inline constexpr std::string_view time_limit_reached = "the time limit was reached";

/// Of `training_limit`: how long its trials have trained, in sum.
inline constexpr std::string_view training_limit_reached
    = "the trials have trained for as long as training_limit allows";

} // namespace tune
