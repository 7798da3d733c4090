/// How long to wait between tries to reach somebody.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <chrono>
#include <optional>

namespace tune {

/// Waits that double from try to try, up to a limit, and patience for all of them together.
class retry_pace {
public:
  using milliseconds = std::chrono::milliseconds;
  using time_point = std::chrono::steady_clock::time_point;

  retry_pace() = default;
  /// @param patience For the first success only; nothing: without limit.
  retry_pace(milliseconds first, milliseconds most, std::optional<milliseconds> patience)
      : first_{first}, most_{most}, patience_{patience}, next_{first} {}

  /// Begins to look. @param now The time from which patience counts.
  void begin(time_point now) { since_ = now; }
  /// It was there: from now on patience has no limit, and waits are short again.
  void succeed() {
    patience_.reset();
    restart();
  }
  /// The next wait is the shortest.
  void restart() { next_ = first_; }

  /// Whether the next wait would take more than the patience.
  [[nodiscard]] bool is_exhausted(time_point now) const {
    return patience_ && now - since_ + next_ > *patience_;
  }
  /// The next wait.
  [[nodiscard]] milliseconds wait() const { return next_; }
  /// One wait is over. @param most In place of the usual limit, but never less than the first wait.
  void lengthen(std::optional<milliseconds> most = {}) {
    next_ = std::max(first_, std::min(2 * next_, most.value_or(most_)));
  }

private:
  milliseconds first_{0};
  milliseconds most_{0};
  std::optional<milliseconds> patience_;
  milliseconds next_{0};
  time_point since_;
};

} // namespace tune
