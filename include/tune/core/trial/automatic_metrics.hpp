/// The metrics that the runtime adds to every report.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <array>
#include <string_view>

namespace tune {

/// See `metric` in report.hpp, which computes them. A report may bring its own value instead.
inline constexpr std::array<std::string_view, 7> automatic_metrics{"training_iteration",
                                                                   "time_total_s",
                                                                   "time_this_iter_s",
                                                                   "timestamp",
                                                                   "pid",
                                                                   "done",
                                                                   "trial_id"};

[[nodiscard]] constexpr bool is_automatic(std::string_view metric) {
  return std::find(automatic_metrics.begin(), automatic_metrics.end(), metric)
         != automatic_metrics.end();
}

} // namespace tune
