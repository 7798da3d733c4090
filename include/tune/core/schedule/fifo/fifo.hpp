/// First in, first out: every trial runs to its own end.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/schedule/fifo_queue.hpp"
#include "tune/core/schedule/scheduler.hpp"

namespace tune::fifo {

/// Never stops a trial. Trials run in the order of `fifo_queue`. At a stall it stops the paused
/// trials, "not promoted".
class fifo_scheduler final : public scheduler {
public:
  [[nodiscard]] scheduler_traits traits() const override;
  void apply(const scheduler_fact& what) override { queue_.apply(what); }
  [[nodiscard]] decision judge(sequence cause, trial_id trial) const override;
  [[nodiscard]] choice choose(sequence at, std::uint32_t count) const override;
  [[nodiscard]] decision on_stall(sequence at) const override;
  void describe(fingerprint& into) const override { queue_.describe(into); }

private:
  fifo_queue queue_;
};

[[nodiscard]] scheduler_catalogue::entry make_entry();

} // namespace tune::fifo
