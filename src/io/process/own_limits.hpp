/// The resource limits that this process began with.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <sys/resource.h>

#include <array>

namespace tune {

/// A process of the same user may lower them from outside (prlimit), and all processes begun
/// afterwards would inherit that. Whoever raises them means well.
class own_limits {
public:
  own_limits();

  /// Raises again what was lowered. @returns whether nothing is lower than at the start: without
  /// privileges a hard limit that was lowered stays so.
  [[nodiscard]] bool restore() const;

private:
  std::array<rlimit, RLIM_NLIMITS> at_start_{};
};

} // namespace tune
