/// What an attempt has cost, and its trial up to then. Private to actors.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "rank_cost_board.hpp"
#include "trainables.hpp"

#include "tune/core/trial/costs.hpp"

#include <chrono>
#include <memory>
#include <optional>
#include <utility>

namespace tune {

/// Completes what was measured of an attempt: the time for which it held GPUs, and the attempts
/// before it.
class attempt_costs {
public:
  /// How often a further rank tells what it costs.
  static constexpr std::chrono::seconds pause{1};

  attempt_costs() = default;
  attempt_costs(const launch_order& order, bool in_reports)
      : before_{from_record(order.costs.content)}
      , gpus_{order.gpu_amount}
      , has_ranks_{order.ranks > 1}
      , is_further_rank_{order.rank > 0}
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
    const auto own = of_attempt(measured, now);
    if (has_ranks_)
      leave_costs(metrics, own);
    auto all = before_;
    all.add(own);
    all.join(metrics);
  }

  /// Whether a further rank is to tell what it costs now.
  [[nodiscard]] bool are_due(instant now) const {
    return is_further_rank_ && in_reports_ && (!told_ || now - *told_ >= pause * 9 / 10);
  }

  /// What it has to tell.
  [[nodiscard]] attempt_report of_rank(const attempt_key& attempt, const cost_sheet& measured,
                                       instant now) {
    told_ = now;
    auto metrics = std::make_shared<object>();
    of_attempt(measured, now).join(*metrics);
    attempt_report result;
    result.attempt = attempt;
    result.metrics = {std::move(metrics)};
    return result;
  }

private:
  cost_sheet before_;
  double gpus_ = 0;
  bool has_ranks_ = false;
  bool is_further_rank_ = false;
  bool in_reports_ = false;
  std::optional<instant> began_;
  std::optional<instant> told_;
};

} // namespace tune
