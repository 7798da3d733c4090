/// Notices reports that a program held back until its end. Private to actors.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <chrono>
#include <cstddef>

namespace tune {

/// A program whose stdout is a pipe mostly writes only when it has some KiB, or ends: the reports
/// of minutes come all at once, too late to be judged.
class burst_watch {
public:
  using clock = std::chrono::steady_clock;

  /// A report has come.
  void add(clock::time_point at) {
    if (count_++ == 0)
      first_ = at;
    last_ = at;
  }
  [[nodiscard]] std::size_t count() const { return count_; }

  /// Whether all reports came together, in the last quarter of a run that was long enough to tell.
  [[nodiscard]] bool is_late(clock::time_point began, clock::time_point gone) const {
    const auto run = gone - began;
    return count_ > 1 && run >= shortest_run && last_ - first_ <= longest_burst
           && gone - first_ <= run / 4;
  }

private:
  static constexpr std::chrono::milliseconds shortest_run{500};
  static constexpr std::chrono::milliseconds longest_burst{50};

  std::size_t count_ = 0;
  clock::time_point first_;
  clock::time_point last_;
};

} // namespace tune
