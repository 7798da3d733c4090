/// Messages that must arrive once, in order, although the connection between the two sides may
/// break.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <utility>

namespace tune {

/// The speaking side: numbers words from 1, and keeps each until the other side has heard it.
template <class Word>
class outgoing_words {
public:
  /// @returns the number of the word, which is kept.
  std::uint64_t add(Word what) {
    words_.push_back(std::move(what));
    return first_ + words_.size() - 1;
  }
  /// The other side has heard all words up to this one.
  void heard(std::uint64_t number) {
    while (!words_.empty() && first_ <= number) {
      words_.pop_front();
      ++first_;
    }
  }
  /// Calls `call` with the number of each unheard word, and the word, in order.
  template <class Call>
  void for_each(Call call) const {
    auto number = first_;
    for (const auto& x : words_)
      call(number++, x);
  }
  /// The newest word, to be changed before it is heard; null if it was heard.
  [[nodiscard]] Word* newest() { return words_.empty() ? nullptr : &words_.back(); }
  [[nodiscard]] std::size_t size() const { return words_.size(); }

private:
  std::uint64_t first_ = 1;
  std::deque<Word> words_;
};

/// The listening side.
class incoming_words {
public:
  /// Number of heard words after which the speaker is told, so that it keeps few.
  static constexpr std::uint64_t most_untold = 8;

  incoming_words() = default;
  /// The side of a listener that takes the place of another: whatever comes first is the next word,
  /// since the speaker repeats all that was not heard for good.
  [[nodiscard]] static incoming_words in_place_of_another() {
    incoming_words result;
    result.begins_anywhere_ = true;
    return result;
  }

  /// @returns whether the word is the next one; false for a repeated one, or one after a gap.
  bool take(std::uint64_t number) {
    if (std::exchange(begins_anywhere_, false) && number > 0)
      heard_ = told_ = number - 1;
    if (number != heard_ + 1)
      return false;
    ++heard_;
    return true;
  }
  /// Number of the last word heard.
  [[nodiscard]] std::uint64_t heard() const { return heard_; }
  /// Whether the speaker should be told now. @param urgent Whether it waits to be told.
  [[nodiscard]] bool is_to_be_told(bool urgent) {
    if (!urgent && heard_ - told_ < most_untold)
      return false;
    told_ = heard_;
    return true;
  }

private:
  std::uint64_t heard_ = 0;
  std::uint64_t told_ = 0;
  bool begins_anywhere_ = false;
};

} // namespace tune
