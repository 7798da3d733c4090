/// Shortages: resources that this machine has no more of for now, so that a system call failed.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/error.hpp"

#include <filesystem>
#include <string>

namespace tune {

/// Whether a system call failed for lack of processes, descriptors or kernel memory: the same call
/// may succeed in a moment, whoever makes it.
/// @param reason An errno.
[[nodiscard]] bool is_shortage(int reason);

/// The error code for a failure to create a process or to open one of its files.
/// @param reason An errno.
/// @returns `ec::shortage` if this machine lacks something for now, `ec::storage` if its disk fails
///          (EIO, ENOSPC, EDQUOT, EROFS), otherwise `mine`.
[[nodiscard]] ec fault_of(int reason, ec mine = ec::process);

/// Explains a shortage: the resource, the limit that was reached, and the remedy: "Resource
/// temporarily unavailable: pids.max of /sys/fs/cgroup/pids/a is reached (100 of 100): …". Limits
/// that cannot be read are left out.
/// @param reason An errno; if it is no shortage, only its own text is returned.
/// @param root   Directory below which proc and sys are mounted.
[[nodiscard]] std::string text_of_shortage(int reason, const std::filesystem::path& root = "/");

} // namespace tune
