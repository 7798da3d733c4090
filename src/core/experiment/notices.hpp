/// What people are told once in a run: what is true of one trial is mostly true of all.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/fingerprint.hpp"

#include <bitset>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace tune {

/// Reasons for a warning that is given once.
enum class notice : std::uint8_t {
  /// A trial whose objective never was a number.
  no_objective,
  /// A checkpoint that could not be kept.
  lost_save,
  /// A trial that brought no checkpoint although one was wanted.
  no_checkpoint,
  failed_export,
  /// A trial that ended without its last checkpoint.
  unsaved_end,
  /// A pause that found no room in memory.
  no_memory,
  /// A pause whose checkpoint was lost in memory.
  lost_pause,
  /// Checkpoints that must stay take more room than they may. Not part of the fingerprint.
  no_room,
};

/// Remembers which warnings were given. A warning is given at most once.
class notices {
public:
  /// @returns true the first time that it is called for `what`, and notes that it was.
  [[nodiscard]] bool is_first(notice what) {
    auto given = given_[index(what)];
    const bool was_given = given;
    given = true;
    return !was_given;
  }
  /// True once `is_first` was called for `what`.
  [[nodiscard]] bool has(notice what) const { return given_[index(what)]; }

  void describe(fingerprint& into) const {
    for (std::size_t i = 0; i < index(notice::no_room); ++i)
      into.add(std::uint64_t{given_[i]});
  }

private:
  static constexpr std::size_t index(notice what) { return static_cast<std::size_t>(what); }

  std::bitset<static_cast<std::size_t>(notice::no_room) + 1> given_;
};

/// Counts failures of trials that follow each other and are alike, until a trial has reported.
class alike_failures {
public:
  /// A trial failed with this text.
  /// @param form What it has in common with failures that are alike.
  /// @returns the number of failures since the last one of another form. [>= 1]
  std::uint32_t add(std::string text, std::string form) {
    had_others_ = had_others_ || (count_ > 0 && form != form_);
    count_ = form == form_ ? count_ + 1 : 1;
    text_ = std::move(text);
    form_ = std::move(form);
    return count_;
  }
  /// Begins to count anew, as a new head does.
  void begin_anew() {
    count_ = 0;
    had_others_ = false;
  }
  /// A trial has reported: failures after that are no longer those of the beginning.
  /// @returns true the first time.
  bool end() { return !std::exchange(is_over_, true); }
  [[nodiscard]] bool is_over() const { return is_over_; }
  /// Whether failures of another form came before.
  [[nodiscard]] bool had_others() const { return had_others_; }
  /// The text of the last failure; empty: there was none.
  [[nodiscard]] const std::string& text() const { return text_; }

  void describe(fingerprint& into) const {
    into.add(std::string_view{text_}).add(std::uint64_t{count_});
  }

private:
  std::string text_;
  /// Follows from the text.
  std::string form_;
  std::uint32_t count_ = 0;
  bool had_others_ = false;
  bool is_over_ = false;
};

} // namespace tune
