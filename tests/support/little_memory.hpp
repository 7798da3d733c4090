/// Limits the memory of a process so that it can start few threads. For death tests only: the limit
/// cannot be lifted.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <pthread.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstddef>
#include <fstream>

namespace tune::support {

/// Sanitizers need unlimited address space.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool can_bound_memory = false;
#else
inline constexpr bool can_bound_memory = true;
#endif

inline std::size_t stack_of_a_thread() {
  ::pthread_attr_t how;
  std::size_t result = 0;
  ::pthread_getattr_default_np(&how);
  ::pthread_attr_getstacksize(&how, &result);
  ::pthread_attr_destroy(&how);
  return result;
}

/// Leaves room for the stacks of `threads` more threads and half of another.
inline void leave_room_for(std::size_t threads) {
  std::size_t pages = 0;
  std::ifstream{"/proc/self/statm"} >> pages;
  const auto stack = stack_of_a_thread();
  const auto now = pages * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  const auto bytes = now + threads * stack + stack / 2;
  const ::rlimit limit{bytes, bytes};
  ::setrlimit(RLIMIT_AS, &limit);
}

} // namespace tune::support
