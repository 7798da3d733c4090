/// Reports of a program with what the attempt has cost. Private to actors.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "attempt_costs.hpp"
#include "attempt_meter.hpp"

#include <memory>
#include <optional>
#include <utility>

namespace tune {

/// A report as the program made it.
struct made_report {
  object metrics;
  bool done = false;
  bool has_checkpoint = false;
};

/// Joins reports with costs. The report of a program that has ended meanwhile waits for those of
/// its end, which the kernel tells with it.
class attempt_reports {
public:
  /// @param devices Null: GPUs and energy are not measured.
  void init(const launch_order& order, bool with_costs, std::shared_ptr<device_meter> devices) {
    costs_ = {order, with_costs};
    meter_.init(std::move(devices));
    joins_ = with_costs && order.rank == 0;
  }

  /// Its program runs. The parameters are those of `process_meter::begin`.
  void begin(pid_t pid, bool is_used, const launch_order& order, instant now) {
    meter_.begin(pid, is_used, order);
    costs_.begin(now);
  }

  /// What a further rank tells of its costs, where that is due.
  [[nodiscard]] std::optional<attempt_report> costs_of_rank(const attempt_key& attempt,
                                                            instant now) {
    if (!meter_.has_begun() || !costs_.are_due(now))
      return std::nullopt;
    return costs_.of_rank(attempt, meter_.read(now), now);
  }

  /// Completes a report; nothing: it waits for `take_last`. One that waits was taken before.
  [[nodiscard]] std::optional<made_report> complete(made_report x, instant now) {
    if (!joins_) {
      // The only look at a small program, which the kernel's numbers at its end do not show.
      if (!std::exchange(was_looked_at_, true))
        (void)meter_.read(now);
      return x;
    }
    const auto measured = meter_.read(now);
    if (meter_.is_gone()) {
      last_.emplace(std::move(x));
      return std::nullopt;
    }
    costs_.join(x.metrics, measured, now);
    return x;
  }

  /// The report that waits, if one does, with costs as measured last.
  [[nodiscard]] std::optional<made_report> take_last(instant now) {
    return take_last(meter_.so_far(), now);
  }
  /// With the costs of a process that has ended. Where nothing was seen of its memory, since it was
  /// so small or so quick, that is the most that it can have been: a number to be compared with
  /// those of others, while the attempt's record knows none.
  /// @param measured What `end` returned.
  [[nodiscard]] std::optional<made_report>
  take_last(cost_sheet measured, const std::optional<process_usage>& used, instant now) {
    if (used && used->peak_bound > 0 && !measured.of(cost_kind::peak_rss_bytes))
      measured.set(cost_kind::peak_rss_bytes, static_cast<double>(used->peak_bound));
    return take_last(measured, now);
  }
  /// With these costs.
  [[nodiscard]] std::optional<made_report> take_last(const cost_sheet& measured, instant now) {
    auto result = std::exchange(last_, std::nullopt);
    if (result)
      costs_.join(result->metrics, measured, now);
    return result;
  }

  /// The process has ended. @returns What it used.
  [[nodiscard]] cost_sheet end(const std::optional<process_usage>& used) {
    return meter_.end(used);
  }
  /// Measured at once, whenever the last time was.
  [[nodiscard]] cost_sheet measured_now() { return meter_.read_now(); }
  /// The costs of the attempt.
  [[nodiscard]] cost_sheet of_attempt(const cost_sheet& measured, instant now) const {
    return costs_.of_attempt(measured, now);
  }

private:
  attempt_meter meter_;
  attempt_costs costs_;
  bool joins_ = false;
  bool was_looked_at_ = false;
  std::optional<made_report> last_;
};

} // namespace tune
