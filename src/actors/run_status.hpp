/// How a run stands. Private to the runner.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "rule_silence.hpp"

#include "tune/actors/actors.hpp"

#include <string>

namespace tune {

/// The status of a run, without its results and running trials. Of several causes to wait, the
/// first is told: clients that paused everything, no node has what trials need, what the machine
/// waits for, the searcher, clients or the scheduler.
/// @param unmet What trials need that no node has; empty: nothing.
[[nodiscard]] inline runner_status status_of(const experiment& x, const searcher_traits& source,
                                             const rule_silence& silence, const std::string& unmet,
                                             instant now) {
  runner_status result;
  result.view = x.view();
  const auto tells_own = unmet.empty() || result.view.suspended;
  result.waits_for = tells_own ? result.view.waits_for : unmet;
  if (result.waits_for.empty())
    result.waits_for = silence.text(x, source, now);
  result.at = now;
  for (auto count : result.view.counts)
    result.trials += count;
  return result;
}

} // namespace tune
