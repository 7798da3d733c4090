// SPDX-License-Identifier: BSD-3-Clause
#include "own_limits.hpp"

#include <algorithm>

namespace tune {

namespace {

/// The C library has its own type for resource numbers.
__rlimit_resource resource(std::size_t number) {
  return static_cast<__rlimit_resource>(number);
}

} // namespace

own_limits::own_limits() {
  for (std::size_t i = 0; i < at_start_.size(); ++i)
    ::getrlimit(resource(i), &at_start_[i]);
}

bool own_limits::restore() const {
  auto result = true;
  for (std::size_t i = 0; i < at_start_.size(); ++i) {
    const auto& wanted = at_start_[i];
    rlimit now{};
    if (::getrlimit(resource(i), &now) != 0
        || (now.rlim_cur >= wanted.rlim_cur && now.rlim_max >= wanted.rlim_max))
      continue;
    const rlimit no_less{std::max(now.rlim_cur, wanted.rlim_cur),
                         std::max(now.rlim_max, wanted.rlim_max)};
    if (::setrlimit(resource(i), &no_less) != 0)
      result = false;
  }
  return result;
}

} // namespace tune
