/// Standard error of a program that must answer also where nobody reads it.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <chrono>
#include <memory>
#include <string_view>

namespace tune::cli {

/// Takes `std::cerr` over, and `write_stderr`: what is said waits in memory and is written by a
/// thread of its own, in order. So a reader that stands still, such as a stopped pager or a
/// terminal after Ctrl-S, holds up no trial and no signal. One at a time; where no thread can be
/// had, or the address space is limited (ulimit -v), everything is written at once, as without it.
class stderr_queue {
public:
  /// Text that waits, beyond which more is dropped and counted. [bytes]
  static constexpr std::size_t most_waiting = std::size_t{1} << 20;

  /// @param descriptor Where it is written.
  /// @param patience   How long its end waits for what is not written yet.
  explicit stderr_queue(int descriptor = 2,
                        std::chrono::milliseconds patience = std::chrono::seconds{2});
  stderr_queue(const stderr_queue&) = delete;
  stderr_queue& operator=(const stderr_queue&) = delete;
  ~stderr_queue();

private:
  struct parts;
  std::unique_ptr<parts> parts_;
};

/// Writes to standard error in one piece, from any thread: into the queue where there is one.
void write_stderr(std::string_view text);

/// Waits until all that was said is written: before something goes to standard output that is to
/// come after it, or the program ends at once. @returns whether it is.
bool settle_stderr(std::chrono::milliseconds patience = std::chrono::seconds{2});

} // namespace tune::cli
