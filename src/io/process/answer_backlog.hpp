/// Answers to a process that its pipe has not taken yet. Private to io/process.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

namespace tune {

/// Holds the lines in order, and whether the process is due to report again.
class answer_backlog {
public:
  /// @param most Size below which lines are taken. [bytes]
  explicit answer_backlog(std::size_t most) : most_{most} {}

  /// The process's last report is answered, by this line. A line that finds no room is lost: the
  /// process reads nothing.
  /// @returns whether there is room.
  bool add(std::string_view line) {
    is_answered_ = true;
    if (text_.size() + line.size() >= most_)
      return false;
    text_.append(line).push_back('\n');
    return true;
  }

  /// Whether the process may report again, although the answer may still wait for the pipe: once
  /// for each answer.
  [[nodiscard]] bool take_answered() { return std::exchange(is_answered_, false); }
  /// The pipe is full. @returns whether that is news.
  [[nodiscard]] bool is_first_unread() { return !std::exchange(is_unread_, true); }

  [[nodiscard]] const std::string& text() const { return text_; }
  /// The pipe took so many bytes. [<= size of the text]
  void took(std::size_t bytes) { text_.erase(0, bytes); }
  /// Nothing that waits will be taken.
  void clear() { text_.clear(); }

  /// No more answers will be added.
  void end() { is_last_ = true; }
  [[nodiscard]] bool is_last() const { return is_last_; }

  /// Another trial begins in the process.
  void begin_anew() {
    clear();
    is_unread_ = false;
    is_answered_ = false;
  }

private:
  std::size_t most_;
  std::string text_;
  bool is_answered_ = false;
  bool is_unread_ = false;
  bool is_last_ = false;
};

} // namespace tune
