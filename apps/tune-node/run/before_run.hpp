/// The time before a run begins: long readings are told of, and signals end them.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "exit_code.hpp"
#include "run/interrupts.hpp"

#include "tune/io/files/reading_rules.hpp"

#include <atomic>
#include <chrono>
#include <optional>

namespace tune::cli {

/// Says on stderr, after a second and then every ten, how far a reading has come. For one thread.
class reading_notices {
public:
  explicit reading_notices(bool quiet);
  void tell(const reading_progress& how_far);

private:
  bool quiet_;
  std::chrono::steady_clock::time_point next_;
};

/// Heeds signals until the actors of a run do: the first has what is under way given up in order,
/// the second ends the process at once.
class before_run {
public:
  explicit before_run(bool quiet);

  /// Tells how far a reading is, and ends it after a signal.
  [[nodiscard]] reading_watch reading();
  /// From here on signals wait for whoever takes them next. @returns the code of one that came.
  [[nodiscard]] std::optional<exit_code> close();

private:
  reading_notices notices_;
  std::atomic<int> signal_ = 0;
  std::optional<interrupts> signals_;
};

/// Ends the process by the code of a signal: for where nothing has to be put away.
[[noreturn]] void leave_at_once(int signal);

} // namespace tune::cli
