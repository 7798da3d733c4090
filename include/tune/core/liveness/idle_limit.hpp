/// Knows when somebody has had nothing to do for too long.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>

namespace tune {

/// Counts stretches of idleness by number. Whoever uses it has a clock, and asks with the number
/// that a stretch got once the limit has passed.
class idle_limit {
public:
  /// @returns the number of the stretch that begins; nothing if none does.
  [[nodiscard]] std::optional<std::uint64_t> note(bool is_busy) {
    busy_ = is_busy;
    ++stretch_;
    return busy_ ? std::nullopt : std::optional{stretch_};
  }

  /// Whether nothing has happened since that stretch began.
  [[nodiscard]] bool is_over(std::uint64_t stretch) const { return !busy_ && stretch == stretch_; }

private:
  bool busy_ = false;
  std::uint64_t stretch_ = 0;
};

} // namespace tune
