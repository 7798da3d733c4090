/// Standard error for a program that must go on even if nobody reads it.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <chrono>
#include <memory>
#include <string_view>

namespace tune::cli {

/// Replaces the output of `std::cerr` and `write_stderr`: text waits in memory and is written by a
/// thread of its own, in order. So a reader that does not read, such as a stopped pager or a
/// terminal after Ctrl-S, holds up no trial and no signal. Only one at a time; if no thread can be
/// started, or the address space is limited (ulimit -v), everything is written at once, as without
/// it.
class stderr_queue {
public:
  /// Most text that waits; further text is dropped and counted. [bytes]
  static constexpr std::size_t most_waiting = std::size_t{1} << 20;

  /// @param descriptor Output.
  /// @param patience   How long its destructor waits for unwritten text.
  explicit stderr_queue(int descriptor = 2,
                        std::chrono::milliseconds patience = std::chrono::seconds{2});
  stderr_queue(const stderr_queue&) = delete;
  stderr_queue& operator=(const stderr_queue&) = delete;
  ~stderr_queue();

private:
  struct parts;
  std::unique_ptr<parts> parts_;
};

/// Writes to standard error in one piece, from any thread: into the queue if there is one.
void write_stderr(std::string_view text);

/// Waits until all text is written: called before something goes to standard output that is to come
/// after it, or before the program ends at once. @returns whether all is written.
bool settle_stderr(std::chrono::milliseconds patience = std::chrono::seconds{2});

} // namespace tune::cli
