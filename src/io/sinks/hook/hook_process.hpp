/// A program that reads lines from its stdin. Private to the hook sink.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/error.hpp"
#include "tune/core/ids.hpp"

#include <chrono>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace tune {

/// Where and as what it is started.
struct hook_command {
  std::vector<std::string> words;
  /// Added to this process's environment, as "NAME=value".
  std::vector<std::string> environment;
  /// Its working directory; its output goes to a file there.
  std::filesystem::path directory;
  std::filesystem::path log;
};

/// One program at a time, and the lines that it has not read yet: a program that ends is followed
/// by another one, which gets them. For one thread.
class hook_process {
public:
  explicit hook_process(hook_command what);
  ~hook_process();
  hook_process(const hook_process&) = delete;
  hook_process& operator=(const hook_process&) = delete;

  /// Adds a line, which belongs to an event.
  void add(sequence seq, std::string line);
  /// Whether lines wait that were not written yet.
  [[nodiscard]] bool has_lines() const { return next_ < lines_.size(); }
  /// The event before the first line that the program has not read to its end.
  /// @param told The last event of all, where it has read everything.
  [[nodiscard]] sequence read_up_to(sequence told);

  /// Writes all lines, starting the program if there is none.
  /// @param patience How long it may not read.
  /// @errors `ec::unreachable` if it cannot be started, has ended, or does not read.
  [[nodiscard]] expected<void> write(std::chrono::milliseconds patience);
  /// How long a wait may still take. Asked again and again, since the end of a run may shorten it.
  using patience_function = std::function<std::chrono::milliseconds()>;

  /// Waits until it has read everything. @errors as `write`.
  [[nodiscard]] expected<void> await_reading(const patience_function& patience);
  /// Closes its stdin and waits for its end; ends it where it takes longer.
  void finish(const patience_function& patience);

private:
  struct line {
    sequence seq = 0;
    std::string text;
  };

  hook_command what_;
  int pid_ = 0;
  int pipe_ = -1;
  /// Lines that are not known to be read.
  std::deque<line> lines_;
  /// Index of the first one that was not written whole, and how much of it was.
  std::size_t next_ = 0;
  std::size_t written_ = 0;

  [[nodiscard]] expected<void> start();
  [[nodiscard]] int spawn(int from, int log);
  /// Forgets lines that were read; those of a program that has ended are written again.
  void settle(bool is_gone);
  [[nodiscard]] bool has_ended(std::string& how);
  [[nodiscard]] error ended(const std::string& how);
};

} // namespace tune
