// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/experiment/searcher_wait.hpp"

#include <algorithm>
#include <cstddef>

namespace tune {

bool waits_for_searcher(const experiment& x) {
  using enum trial_status;
  const auto counts = x.view().counts;
  for (auto status : {pending, running, paused}) {
    if (counts[static_cast<std::size_t>(status)] > 0)
      return false;
  }
  auto due = x.due(instant::max());
  return std::any_of(due.begin(), due.end(),
                     [](const on::ticked& y) { return y.what == on::ticked::due::ask_again; });
}

std::string searcher_wait_text(std::chrono::nanoseconds patience) {
  auto seconds = std::chrono::ceil<std::chrono::seconds>(patience).count();
  return "nothing runs: no trial is left, and the searcher has no further one yet; it is asked"
         " again for [experiment] stall_timeout"
         + (seconds > 0 ? " (" + std::to_string(seconds) + " s)" : std::string{})
         + ", then the experiment ends as stalled; a trial that is added (`add`) runs at"
           " once, and a stop (`stop`) ends it before";
}

} // namespace tune
