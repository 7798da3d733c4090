/// The resource limits that this process started with.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <sys/resource.h>

#include <array>

namespace tune {

/// Another process of the same user may lower them (prlimit), and all processes started afterwards
/// would inherit that. Raised limits are left alone, since they are meant well.
class own_limits {
public:
  own_limits();

  /// Restores lowered limits. @returns whether no limit is lower than at the start: without
  /// privileges a lowered hard limit cannot be raised again.
  [[nodiscard]] bool restore() const;

private:
  std::array<rlimit, RLIM_NLIMITS> at_start_{};
};

} // namespace tune
