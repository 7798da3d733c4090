/// What processes that have ended used, as the kernel tells it of those that are waited for.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

namespace tune {

struct process_usage {
  /// User and system time.
  std::int64_t cpu_us = 0;
  /// Most resident memory of a single process; 0: less than the process held that started it, which
  /// the kernel counts as its own. [bytes]
  std::int64_t peak_rss = 0;
  /// Bytes moved to and from storage.
  std::int64_t read_bytes = 0;
  std::int64_t written_bytes = 0;
  /// Where `peak_rss` is 0, the most that it can have been. [bytes]
  std::int64_t peak_bound = 0;

  /// Adds another process: peaks are those of the larger one.
  void add(const process_usage& more) {
    cpu_us += more.cpu_us;
    peak_rss = peak_rss > more.peak_rss ? peak_rss : more.peak_rss;
    peak_bound = peak_bound > more.peak_bound ? peak_bound : more.peak_bound;
    read_bytes += more.read_bytes;
    written_bytes += more.written_bytes;
  }

  friend bool operator==(const process_usage&, const process_usage&) = default;
};

} // namespace tune
