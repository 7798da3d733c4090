/// Trials that have ended and lack their export or last checkpoint.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/ids.hpp"

#include <cstdint>
#include <set>

namespace tune {

/// Knows which of them wait to be placed for that, and how many have given it up, which the log is
/// yet to say. The run does not end before that.
class open_end_queue {
public:
  void add(trial_id trial) { waiting_.insert(trial); }
  void remove(trial_id trial) { waiting_.erase(trial); }
  /// A trial's last event, that its export is lost, is on its way into the log.
  void begin_giving_up() { ++giving_up_; }
  /// The log has it. @pre `begin_giving_up` was called for the trial.
  void end_giving_up() { --giving_up_; }

  [[nodiscard]] const std::set<trial_id>& waiting() const { return waiting_; }
  [[nodiscard]] bool is_giving_up() const { return giving_up_ > 0; }

private:
  std::set<trial_id> waiting_;
  std::uint64_t giving_up_ = 0;
};

} // namespace tune
