/// Ctrl-C, SIGTERM and SIGHUP: the first leaves off in order, the second at once.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <thread>

namespace tune::cli {

/// Keeps these signals, and SIGPIPE, from ending the process. Call in `main` before any thread is
/// made: they inherit it.
void hold_signals();

/// Waits for signals on a thread of its own, while it lives. Those that are an echo of one that
/// came a moment before, whoever heard it, are not heard; see `signal_echo`.
class interrupts {
public:
  /// @param first  Called with the signal's number, from the waiting thread.
  /// @param second Called for each further signal.
  interrupts(std::function<void(int)> first, std::function<void(int)> second);
  ~interrupts();
  interrupts(const interrupts&) = delete;
  interrupts& operator=(const interrupts&) = delete;

private:
  int wake_ = -1;
  std::thread waiter_;
};

} // namespace tune::cli
