/// What an attempt has cost, and its trial up to then. Private to actors.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "trainables.hpp"

#include "tune/core/trial/costs.hpp"

#include <chrono>

namespace tune {

/// Completes what was measured of an attempt: the time for which it held GPUs, and the attempts
/// before it.
class attempt_costs {
public:
  attempt_costs() = default;
  attempt_costs(const launch_order& order, bool in_reports)
      : before_{from_record(order.costs.content)}
      , gpus_{order.gpu_amount}
      , in_reports_{in_reports} {}

  /// Its program runs.
  void begin(instant now) { began_ = now; }
  [[nodiscard]] bool are_in_reports() const { return in_reports_; }

  /// The costs of the attempt.
  [[nodiscard]] cost_sheet of_attempt(cost_sheet measured, instant now) const {
    if (gpus_ > 0 && began_)
      measured.set(cost_kind::gpu_s, gpus_ * std::chrono::duration<double>(now - *began_).count());
    return measured;
  }

  /// Adds those of the trial to a report's metrics.
  void join(object& metrics, const cost_sheet& measured, instant now) const {
    auto all = before_;
    all.add(of_attempt(measured, now));
    all.join(metrics);
  }

private:
  cost_sheet before_;
  double gpus_ = 0;
  bool in_reports_ = false;
  std::optional<instant> began_;
};

} // namespace tune
