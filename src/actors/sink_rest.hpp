/// How long a sink rests between two rounds of work. Private to actors.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <chrono>

namespace tune {

/// A sink whose rounds cost something for each file, however much comes into it, does better with
/// few large rounds than with many small ones. It rests for a multiple of what its last round took:
/// what is small is told at once, and what is large is gathered. A pure value.
class sink_rest {
public:
  using time_point = std::chrono::steady_clock::time_point;
  using duration = time_point::duration;

  /// Rest for each unit of time at work: the sink takes a twentieth of a processor while its rounds
  /// are short.
  static constexpr int for_each_at_work = 19;
  /// What is not worth a timer.
  static constexpr duration least = std::chrono::milliseconds{5};

  /// @param most Longest rest; 0: none at all.
  explicit sink_rest(duration most = {}) : most_{most} {}

  /// A round is over.
  void worked(time_point from, time_point to) {
    until_ = to + std::min(most_, (to - from) * for_each_at_work);
  }
  /// Time to wait before the next round; 0: none.
  [[nodiscard]] duration left(time_point now) const {
    const auto left = until_ - now;
    return left < least ? duration{} : left;
  }

private:
  duration most_;
  time_point until_;
};

} // namespace tune
