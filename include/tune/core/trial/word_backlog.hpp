/// How much an attempt may have said that its head has not heard.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/value.hpp"

#include <cstddef>
#include <cstdint>
#include <deque>

namespace tune {

/// What `what` takes of memory, texts and names included; more rather than less. [bytes]
[[nodiscard]] std::size_t bytes_of(const object& what);

/// Counts the words of an attempt that wait for a head which is away, as a value. They wait in the
/// worker's memory, and at once in that of the head when it is back, so their bytes are bounded as
/// well as their number: metrics may be large. A trial whose words are too many waits with its next
/// report.
class word_backlog {
public:
  static constexpr std::size_t most_words = 1'000;
  static constexpr std::size_t most_bytes = std::size_t{4} << 20;

  /// The next word was said.
  void add(std::size_t bytes) {
    sizes_.push_back(bytes);
    bytes_ += bytes;
  }
  /// All words up to this one, counted from 1, were heard.
  void heard(std::uint64_t number) {
    for (; !sizes_.empty() && first_ <= number; ++first_) {
      bytes_ -= sizes_.front();
      sizes_.pop_front();
    }
  }
  /// Whether the trial may go on to its next report.
  [[nodiscard]] bool has_room() const { return sizes_.size() < most_words && bytes_ < most_bytes; }

private:
  std::uint64_t first_ = 1;
  std::deque<std::size_t> sizes_;
  std::size_t bytes_ = 0;
};

} // namespace tune
