/// The workers of tune_scale_bench: many in one process, each with an actor system, a TLS
/// connection and a node of its own, as a `tune-node worker` has them.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <string>

namespace tune::bench {

/// What a process of workers is told at its start.
struct worker_order {
  std::uint16_t port = 0;
  std::filesystem::path certificates;
  /// Number of the first worker, and how many there are.
  std::uint64_t first = 0;
  std::uint64_t count = 0;
  /// Trials that each of them takes.
  std::uint64_t slots = 0;
};

/// What a process of workers has seen so far.
struct worker_counts {
  std::uint64_t joined = 0;
  /// Trials that run now.
  std::uint64_t running = 0;
  /// Reports that were answered.
  std::uint64_t answered = 0;
  /// Tries to join that failed, and connections that were lost.
  std::uint64_t retries = 0;
  std::uint64_t losses = 0;

  worker_counts& operator+=(const worker_counts& x);
};

/// Pauses of a trial between two reports.
inline constexpr std::int64_t pace_of_held_trials = -1;
inline constexpr std::int64_t as_fast_as_answered = 0;

/// Runs such a process: reads orders from stdin, a line each, and ends with it.
[[noreturn]] void work(const worker_order& what);

/// Such a process, as its parent sees it.
class worker_process {
public:
  explicit worker_process(const worker_order& what);
  ~worker_process();
  worker_process(worker_process&& x) noexcept;
  worker_process& operator=(worker_process&&) = delete;
  worker_process(const worker_process&) = delete;
  worker_process& operator=(const worker_process&) = delete;

  /// Sets the time between two reports of a trial; see above. [us]
  void set_pace(std::int64_t microseconds);
  [[nodiscard]] worker_counts counts();
  /// Ends it at once, without a word to anybody.
  void kill();

private:
  ::pid_t process_ = 0;
  std::FILE* to_ = nullptr;
  std::FILE* from_ = nullptr;
};

} // namespace tune::bench
