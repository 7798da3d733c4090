/// Ctrl-C, SIGTERM and SIGHUP: the first signal interrupts in order, the second at once.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <optional>
#include <thread>

namespace tune::cli {

/// Keeps these signals, and SIGPIPE, from ending the process. Call in `main` before any thread is
/// started: threads inherit it.
/// @param further Another signal that interrupts; 0: none.
void hold_signals(int further = 0);

/// Takes one of these signals that came while no `interrupts` lived. @returns its number.
[[nodiscard]] std::optional<int> take_held_signal();

/// Waits for signals on a thread of its own while this object lives. An echo of a signal that came
/// a moment before, to any receiver, is ignored; see `signal_echo`.
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
