// SPDX-License-Identifier: BSD-3-Clause
#include "tune/io/process/descriptor_limit.hpp"

#include <sys/resource.h>

#include <algorithm>
#include <atomic>

namespace tune {

namespace {

/// Bounded because some systems allow a thousand million, and some programs allocate a table of
/// that size.
constexpr ::rlim_t enough = 1 << 20;

/// 0 if the limit was not raised.
std::atomic<std::uint64_t> limit_of_trials{0};

} // namespace

void raise_descriptor_limit() {
  ::rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0)
    return;
  auto before = limit.rlim_cur;
  limit.rlim_cur = std::min(limit.rlim_max, std::max(before, enough));
  if (limit.rlim_cur > before && ::setrlimit(RLIMIT_NOFILE, &limit) == 0)
    limit_of_trials = before;
}

std::optional<std::uint64_t> descriptor_limit_of_trials() {
  auto known = limit_of_trials.load();
  return known == 0 ? std::nullopt : std::optional{known};
}

} // namespace tune
