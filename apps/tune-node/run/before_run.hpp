/// The time before a run begins: shows the progress of long readings, and lets signals end them.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "exit_code.hpp"
#include "run/interrupts.hpp"

#include "tune/io/files/reading_rules.hpp"

#include <atomic>
#include <chrono>
#include <optional>

namespace tune::cli {

/// Shows on stderr, after a second and then every ten, how far reading has come. For one thread.
class reading_notices {
public:
  explicit reading_notices(bool quiet);
  void tell(const reading_progress& how_far);

private:
  bool quiet_;
  std::chrono::steady_clock::time_point next_;
};

/// Handles signals until the actors of a run do: the first makes work under way stop in order, the
/// second ends the process at once.
class before_run {
public:
  explicit before_run(bool quiet);

  /// Shows how far reading has come, and ends it after a signal.
  [[nodiscard]] reading_watch reading();
  /// From here on signals wait for the next handler. @returns the exit code of a signal that came.
  [[nodiscard]] std::optional<exit_code> close();
  /// Like `close`, where no run begins and there is no next handler.
  [[nodiscard]] std::optional<exit_code> close_for_good();

private:
  reading_notices notices_;
  std::atomic<int> signal_ = 0;
  std::optional<interrupts> signals_;
};

/// Ends the process with the exit code of a signal, where nothing needs to be cleaned up.
[[noreturn]] void leave_at_once(int signal);

} // namespace tune::cli
