/// How long a head has said nothing of the transfers under way. Private to the checkpoint client.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <chrono>
#include <string>
#include <utility>

namespace tune {

/// Counts checks without a word of the head, of which there are `most` within its patience.
class head_silence {
public:
  static constexpr unsigned most = 10;

  /// The head was heard.
  void end() { checks_ = 0; }

  /// Whether the next check is to be arranged: unless one is.
  [[nodiscard]] bool is_to_be_counted() { return !std::exchange(is_due_, true); }

  /// A check. @param counts Whether a word of the head is due. @returns whether it said nothing for
  ///   longer than its patience.
  [[nodiscard]] bool is_too_long(bool counts) {
    is_due_ = false;
    if (!counts)
      checks_ = 0;
    return counts && ++checks_ > most;
  }

  /// Why transfers are given up then.
  [[nodiscard]] static std::string text(std::chrono::nanoseconds patience) {
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(patience).count();
    return "the head said nothing of it for " + std::to_string(seconds) + " s";
  }

private:
  unsigned checks_ = 0;
  bool is_due_ = false;
};

} // namespace tune
