/// What a training thread and its actor share. Private to actors.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "attempt_saves.hpp"

#include "tune/core/trial/costs.hpp"

#include <time.h>

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>

namespace tune {

/// Everything that the training thread and its actor share.
class training_gate {
public:
  /// Waits for the answer to report `number`; "stop" once closed.
  attempt_answer wait(std::uint64_t number) {
    std::unique_lock guard{mutex_};
    changed_.wait(guard, [&] { return closed_ || answer_.number >= number; });
    if (answer_.number >= number)
      return answer_;
    attempt_answer result;
    result.kind = answer_kind::stop;
    return result;
  }
  void open(const attempt_answer& answer) {
    {
      std::lock_guard guard{mutex_};
      answer_ = answer;
    }
    changed_.notify_one();
  }
  void close(bool exports = false) {
    std::lock_guard guard{mutex_};
    closed_ = true;
    exports_ = exports_ || exports;
    changed_.notify_one();
  }
  [[nodiscard]] bool is_closed() const { return closed_; }
  /// Marks the thread's further work as unwanted.
  void abandon() { abandoned_ = true; }
  [[nodiscard]] bool is_abandoned() const { return abandoned_; }
  /// Whether it was closed for the end of the trial.
  [[nodiscard]] bool wants_exports() const { return exports_; }

  /// Call before a checkpoint is written: waits while too many are on their way, but not once the
  /// gate is closed.
  void begin_save() {
    std::unique_lock guard{mutex_};
    changed_.wait(guard, [&] { return closed_ || saves_ < attempt_saves::most; });
    ++saves_;
  }
  void end_save() {
    {
      std::lock_guard guard{mutex_};
      --saves_;
    }
    changed_.notify_one();
  }

private:
  std::mutex mutex_;
  std::condition_variable changed_;
  attempt_answer answer_;
  std::size_t saves_ = 0;
  std::atomic<bool> closed_ = false;
  std::atomic<bool> exports_ = false;
  std::atomic<bool> abandoned_ = false;
};

/// CPU time of the training thread. Threads that the trainable starts are not in it, and memory and
/// bytes are those of the whole program: nothing else of a thread's costs is known.
class thread_clock {
public:
  [[nodiscard]] cost_sheet read() const {
    cost_sheet result;
    if (const auto now = time_now())
      result.set(cost_kind::cpu_s, *now - began_);
    return result;
  }

private:
  double began_ = time_now().value_or(0);

  static std::optional<double> time_now() {
    timespec x{};
    if (::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &x) != 0)
      return std::nullopt;
    return static_cast<double>(x.tv_sec) + static_cast<double>(x.tv_nsec) / 1e9;
  }
};

} // namespace tune
