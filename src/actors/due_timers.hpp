/// The timers of a run. Private to the runner.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/experiment/experiment.hpp"

#include <algorithm>
#include <chrono>
#include <optional>
#include <set>
#include <vector>

namespace tune {

/// Sees to it that no two timers run for the same time: many trials may come and go before the time
/// limit. Notices by a timer that rings late that this process was held up (stopped by a signal,
/// say): the reports of that time are still to be read then, so for a while no trial is ended for
/// having reported nothing.
class due_timers {
public:
  /// When to set a timer for the next deadline; empty: none is there, or an earlier timer runs.
  [[nodiscard]] std::optional<instant> set(std::optional<instant> deadline, instant now) {
    // What is spared is due already.
    if (deadline && *deadline <= now && now < spared_until_)
      deadline = std::min(now + look_interval, spared_until_);
    if (!deadline || (!all_.empty() && *all_.begin() <= *deadline))
      return std::nullopt;
    all_.insert(*deadline);
    return deadline;
  }

  /// All timers up to `now` have rung.
  void rang(instant now) {
    if (!all_.empty() && *all_.begin() <= now)
      note_delay(now - *all_.begin(), now);
    all_.erase(all_.begin(), all_.upper_bound(now));
  }

  /// The ticks that are to be told now, of all that are due.
  [[nodiscard]] std::vector<on::ticked> to_tell(std::vector<on::ticked> due, instant now) const {
    if (now < spared_until_)
      std::erase_if(
          due, [](const on::ticked& x) { return x.what == on::ticked::due::progress_timeout; });
    return due;
  }

private:
  using duration = std::chrono::nanoseconds;
  static constexpr duration small_delay = std::chrono::milliseconds{50};
  static constexpr duration long_delay = std::chrono::seconds{1};
  /// A machine that is always busy delays every timer a little: that spares nobody for ever.
  static constexpr duration rest = std::chrono::seconds{10};
  static constexpr duration look_interval = std::chrono::seconds{1};

  /// Due times of the timers that run.
  std::set<instant> all_;
  instant spared_until_{0};

  void note_delay(duration delay, instant now) {
    if (delay >= long_delay || (delay >= small_delay && now >= spared_until_ + rest))
      spared_until_ = std::max(spared_until_, now + std::max(long_delay, 4 * delay));
  }
};

} // namespace tune
