/// Measures what a running process and its descendants have used, from /proc.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/ids.hpp"
#include "tune/core/trial/costs.hpp"
#include "tune/io/process/process_usage.hpp"

#include <sys/types.h>

#include <chrono>
#include <optional>
#include <vector>

namespace tune {

/// The costs of one attempt, as long as its process runs and at its end. Never waits for a disk.
///
/// The CPU time and the bytes of a process include those of its children that have ended, if it
/// waited for them. The peak of memory is the largest of what all processes held together at a
/// measurement, and of what any single one ever held: exact for one process, at least that for
/// several. A process that never held more than its supervisor is known by measurements alone.
/// Processes that have left their parent are counted at the end only.
class process_meter {
public:
  /// Least time between two measurements; costs that are asked for sooner are those of the last.
  static constexpr std::chrono::milliseconds least_pause{100};
  /// A measurement that took long is not repeated before it is at most this part of the time.
  static constexpr int most_share = 100;

  /// @param is_used True if the process has served others before: what it used so far is not
  ///                counted.
  void begin(pid_t pid, bool is_used);
  [[nodiscard]] bool has_begun() const { return pid_ != 0; }

  /// What is known at `now`.
  [[nodiscard]] const cost_sheet& read(instant now);
  /// As measured last, or at the end.
  [[nodiscard]] const cost_sheet& so_far() const { return so_far_; }
  /// Whether the last measurement came too late: the process had ended. What it used in all is told
  /// by `end`.
  [[nodiscard]] bool is_gone() const { return is_gone_; }
  /// Measures at once, whenever the last time was.
  const cost_sheet& read_now();
  /// The process has ended.
  [[nodiscard]] const cost_sheet& end(const std::optional<process_usage>& used);

private:
  pid_t pid_ = 0;
  bool is_used_ = false;
  bool is_gone_ = false;
  /// Used before it began.
  cost_sheet before_;
  cost_sheet so_far_;
  std::optional<instant> next_;
};

/// A process and its living descendants, as far as they have not left their parents; none if /proc
/// shows another PID namespace. Of very many some are left out.
[[nodiscard]] std::vector<pid_t> processes_of(pid_t leader);

/// What a process and its living descendants have used since they began; empty if it is gone or its
/// files cannot be read.
/// @param resets_peak Whether the peaks of memory begin anew after this.
[[nodiscard]] cost_sheet costs_of_processes(pid_t leader, bool resets_peak = false);

} // namespace tune
