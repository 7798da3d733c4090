/// CPU and memory limits that control groups set for this process.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

namespace tune {

/// Limits of the process's control groups and of all groups above them; an empty value means no
/// limit.
struct cgroup_limits {
  /// Number of CPUs that the quota allows: 1.5 means one and a half. [> 0]
  std::optional<double> cpus;
  /// Memory limit. [bytes]
  std::optional<std::uint64_t> memory;
};

/// Reads control groups of versions 1 and 2, and mixtures of them. Unreadable files do not limit.
/// @param root Directory that contains `proc` and `sys`: "/" except in tests.
[[nodiscard]] cgroup_limits read_cgroup_limits(const std::filesystem::path& root);

} // namespace tune
