/// How long the answers of a program's own scheduler or searcher are waited for. Private to actors.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <string>

namespace tune {

/// Counts how long the oldest open question has been waited for, in tenths of the patience.
class answer_patience {
public:
  enum class finding : std::uint8_t { wait, tell, give_up };

  answer_patience() = default;
  /// @param whole 0: no limit.
  explicit answer_patience(std::chrono::nanoseconds whole) : whole_{whole} {}

  [[nodiscard]] bool has_limit() const { return whole_.count() > 0; }
  /// The time between calls of `pass`.
  [[nodiscard]] std::chrono::nanoseconds part() const {
    return std::max<std::chrono::nanoseconds>(whole_ / parts, std::chrono::milliseconds{1});
  }

  /// A part has passed.
  /// @param oldest Names the oldest open question.
  [[nodiscard]] finding pass(std::uint64_t oldest) {
    waited_ = oldest == waits_for_ ? waited_ + 1 : 0;
    waits_for_ = oldest;
    if (waited_ >= parts)
      return finding::give_up;
    return waited_ == 1 ? finding::tell : finding::wait;
  }

  /// The whole patience: "10 s", "100 ms".
  [[nodiscard]] std::string text() const {
    auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(whole_).count();
    return ms % 1000 == 0 ? std::to_string(ms / 1000) + " s" : std::to_string(ms) + " ms";
  }

private:
  static constexpr std::uint64_t parts = 10;

  std::chrono::nanoseconds whole_{0};
  /// The oldest open question, and the parts of the patience it has been waited for.
  std::uint64_t waits_for_ = 0;
  std::uint64_t waited_ = 0;
};

} // namespace tune
