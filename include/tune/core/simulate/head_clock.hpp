/// The time of a simulated experiment, and when its head does something.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/ids.hpp"

#include <cstdint>
#include <optional>

namespace tune {

/// Turns the simulation's time (`now`) into that of the experiment, which stands still while there
/// is no head and once the experiment is over, and knows how long a suspended head sleeps.
class head_clock {
public:
  /// A head begins, awake.
  /// @param last Experiment time of the last event in its log; 0: there is none.
  void begin_head(instant now, instant last) {
    awake_from_ = now;
    behind_ = now - last;
    ended_at_.reset();
  }
  /// Suspends the head. @pre `!is_asleep(now)`
  void fall_asleep(instant now, instant duration) {
    awake_from_ = now + duration;
    ++sleeps_;
  }
  /// The experiment is over. Only the first call counts.
  void stop(instant now) { ended_at_ = elapsed(now); }

  [[nodiscard]] instant elapsed(instant now) const { return ended_at_.value_or(now - behind_); }
  /// The simulation's time at which the head can do what is due at that time of the experiment.
  [[nodiscard]] instant time_of(instant due) const {
    return due + behind_ > awake_from_ ? due + behind_ : awake_from_;
  }
  [[nodiscard]] bool is_asleep(instant now) const { return awake_from_ > now; }
  /// The end of the head's last sleep, or when it began.
  [[nodiscard]] instant awake_from() const { return awake_from_; }
  /// Number of sleeps, of all heads.
  [[nodiscard]] std::uint64_t sleeps() const { return sleeps_; }

private:
  instant awake_from_{0};
  std::uint64_t sleeps_ = 0;
  /// How long there was no head.
  instant behind_{0};
  std::optional<instant> ended_at_;
};

} // namespace tune
