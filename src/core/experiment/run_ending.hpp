/// How a run ends.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/experiment/experiment.hpp"

#include <optional>
#include <string>
#include <utility>

namespace tune {

/// How a run ends before its natural end.
struct drain {
  experiment_status status = experiment_status::stopped;
  std::string why;
  /// True if trials stay resumable instead of being terminated.
  bool resumable = false;
};

/// Knows whether the run has ended, whether it is on its way to an early end, and the early end
/// that the last head came to. An early end, once begun, is the one that the run comes to.
class run_ending {
public:
  /// Begins an early end. @returns false, with no effect, if one has begun.
  bool begin(drain how) {
    if (early_)
      return false;
    early_ = std::move(how);
    return true;
  }
  /// The run is over.
  void finish() { finished_ = true; }
  /// A new head goes on: whatever made the last one leave off is over.
  void begin_head() {
    if (finished_ && early_ && is_final(early_->status))
      last_early_ = std::move(early_);
    early_.reset();
    finished_ = false;
  }
  /// Something was added or runs again: the end of the last head does not matter any more.
  void forget_last() { last_early_.reset(); }

  [[nodiscard]] bool is_finished() const { return finished_; }
  /// Whether an early end has begun.
  [[nodiscard]] bool drains() const { return early_.has_value(); }
  /// Whether one has begun that leaves the trials resumable.
  [[nodiscard]] bool leaves_off() const { return early_ && early_->resumable; }
  /// The early end that has begun. @pre `drains()`
  [[nodiscard]] const drain& how() const { return *early_; }
  /// The early end that the last head came to, if nothing was meant to go on after it.
  [[nodiscard]] const std::optional<drain>& last_early() const { return last_early_; }

private:
  [[nodiscard]] static bool is_final(experiment_status x) {
    return x == experiment_status::done || x == experiment_status::stopped
           || x == experiment_status::failed;
  }

  std::optional<drain> early_;
  std::optional<drain> last_early_;
  bool finished_ = false;
};

} // namespace tune
