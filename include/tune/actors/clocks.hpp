/// The clocks that stamp reports: the core is told the time, it never asks.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/ids.hpp"

#include <time.h>

#include <chrono>
#include <cstdint>

namespace tune {

/// Monotonic time of this machine; only differences mean something.
[[nodiscard]] inline instant steady_now() {
  return std::chrono::duration_cast<instant>(std::chrono::steady_clock::now().time_since_epoch());
}

/// Like `steady_now`, but goes on while the machine sleeps.
[[nodiscard]] inline instant boottime_now() {
  timespec now{};
  ::clock_gettime(CLOCK_BOOTTIME, &now);
  return std::chrono::seconds{now.tv_sec} + std::chrono::nanoseconds{now.tv_nsec};
}

/// Unix time. [milliseconds]
[[nodiscard]] inline std::int64_t wall_ms() {
  auto since = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::milliseconds>(since).count();
}

} // namespace tune
