/// Notices reports that a program held back until its end. Private to actors.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>

namespace tune {

/// A program whose stdout is a pipe mostly writes only when it has some KiB, or ends: the reports
/// of minutes come all at once, too late to be judged.
class burst_watch {
public:
  using clock = std::chrono::steady_clock;

  /// A report has come. @param at Time at which its bytes were read.
  void add(clock::time_point at) {
    if (count_++ == 0)
      first_ = last_ = at;
    widest_ = std::max(widest_, at - last_);
    last_ = at;
  }
  [[nodiscard]] std::size_t count() const { return count_; }

  /// Whether all reports came together, in the last quarter of a run that was long enough to tell.
  /// Reports with time between them were written one by one.
  [[nodiscard]] bool is_late(clock::time_point began, clock::time_point gone) const {
    const auto run = gone - began;
    return run >= shortest_run && came_together() && gone - first_ <= run / 4;
  }

  /// Whether all reports came at one stretch. Where the program is known to have ended by itself
  /// before it was told to, that tells in however short a run.
  [[nodiscard]] bool came_together() const {
    return count_ > 1 && widest_ <= widest_gap && last_ - first_ <= longest_burst;
  }

private:
  static constexpr std::chrono::milliseconds shortest_run{500};
  static constexpr std::chrono::milliseconds longest_burst{50};
  /// A pipe that is written at a stretch is read at a stretch.
  static constexpr std::chrono::milliseconds widest_gap{2};

  std::size_t count_ = 0;
  clock::time_point first_;
  clock::time_point last_;
  clock::duration widest_{0};
};

} // namespace tune
