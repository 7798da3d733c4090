/// The step of a checkup that looks at a directory in which trials, or experiments, are to live.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "doctor/checkup.hpp"

#include <filesystem>

namespace tune::cli {

/// Whether `wanted`, or the nearest directory above it that is there, can be written to and has
/// room; creates nothing. A file system that holds no files, as /proc, fails.
/// @param wanted Empty: the default directory of `whose`: "worker" or "head".
[[nodiscard]] checkup_step directory_step(const std::string& name,
                                          const std::filesystem::path& wanted,
                                          const std::string& whose);

/// The step "work": as `directory_step` for a worker, which also refuses a directory with things
/// that are not its own.
[[nodiscard]] checkup_step work_step(const std::filesystem::path& wanted);

} // namespace tune::cli
