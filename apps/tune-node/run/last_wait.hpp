/// The end of a program, once its work is done: trial processes that do not end are named, and
/// signals end the program at once.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "run/interrupts.hpp"

#include <chrono>
#include <condition_variable>
#include <filesystem>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

namespace tune::cli {

/// Declare it before everything whose end may have to wait for processes: the kernel may hold one
/// for ever (frozen, or waiting for a network disk that is gone), and the guard waits for it.
class last_wait {
public:
  using teller = std::function<void(const std::string&)>;

  /// @param directory  Directory below which trials of this program have their directories.
  /// @param say        Called with a line without its end, from a thread of its own. Not after the
  ///         destructor.
  last_wait(std::filesystem::path directory, teller say);
  ~last_wait();
  last_wait(const last_wait&) = delete;
  last_wait& operator=(const last_wait&) = delete;

  /// All work is done. Call once, while the earlier handler of signals still exists, so that no
  /// signal is missed.
  /// @param warned  A signal has come already: the next one ends the process. Otherwise the first
  ///         one shows what is waited for, and the second one ends the process.
  void begin(bool warned);

  /// From then on, names from time to time the trial processes that still run. Only the first call
  /// counts. From any thread.
  void remind_from(std::chrono::milliseconds from_now);

private:
  std::filesystem::path directory_;
  teller say_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool over_ = false;
  std::optional<interrupts> signals_;
  std::thread reminder_;

  void remind(std::chrono::milliseconds after);
  void tell_who_is_left();
};

} // namespace tune::cli
