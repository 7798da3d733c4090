// SPDX-License-Identifier: BSD-3-Clause
#include "tune/io/process/thread_room.hpp"

#include "tune/io/process/shortage.hpp"

#include <sys/resource.h>

#include <future>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

namespace tune {

namespace {

/// If a memory limit applies, the shortage is permanent: other processes cannot free that memory.
bool has_memory_limit() {
  rlimit most{};
  return ::getrlimit(RLIMIT_AS, &most) == 0 && most.rlim_cur != RLIM_INFINITY;
}

} // namespace

expected<void> can_start_threads(std::size_t count) {
  std::promise<void> over;
  auto until = over.get_future().share();
  std::vector<std::thread> started;
  started.reserve(count);
  expected<void> result;
  try {
    while (started.size() < count)
      started.emplace_back([until] { until.wait(); });
  } catch (const std::system_error& why) {
    result = error{has_memory_limit() ? ec::process : fault_of(why.code().value()),
                   "only " + std::to_string(started.size()) + " of " + std::to_string(count)
                       + " threads can be started: " + why.code().message()
                       + "; see `ulimit -u`, `ulimit -v` and the container's limits"};
  }
  over.set_value();
  for (auto& one : started)
    one.join();
  return result;
}

} // namespace tune
