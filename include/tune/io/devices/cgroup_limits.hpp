/// What control groups leave this process of CPU and memory.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

namespace tune {

/// Limits of the process's control groups and of all groups above them; nothing: not limited.
struct cgroup_limits {
  /// CPUs per the quota: 1.5 means one and a half. [> 0]
  std::optional<double> cpus;
  /// Bytes.
  std::optional<std::uint64_t> memory;
};

/// Reads versions 1 and 2 and mixtures of them. What cannot be read does not limit.
/// @param root Where `proc` and `sys` are found: "/" but for tests.
[[nodiscard]] cgroup_limits read_cgroup_limits(const std::filesystem::path& root);

} // namespace tune
