/// Shortages: what a system call was refused because this machine has no more of it for now.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/error.hpp"

#include <filesystem>
#include <string>

namespace tune {

/// Whether a system call failed for want of processes, descriptors or memory of the kernel: the
/// same call may succeed in a moment, whoever makes it.
/// @param reason An errno.
[[nodiscard]] bool is_shortage(int reason);

/// Whose fault it is that a process could not be made, or a file of its not be opened.
/// @param reason An errno.
/// @returns `ec::shortage` where this machine lacks something for now, `ec::storage` where its disk
///          fails (EIO, ENOSPC, EDQUOT, EROFS), otherwise `mine`.
[[nodiscard]] ec fault_of(int reason, ec mine = ec::process);

/// What is short, which limit says so, and what to do: "Resource temporarily unavailable: pids.max
/// of /sys/fs/cgroup/pids/a is reached (100 of 100): …". Limits that cannot be read are left out.
/// @param reason An errno; where it is no shortage only its own text is returned.
/// @param root   Below which proc and sys are mounted.
[[nodiscard]] std::string text_of_shortage(int reason, const std::filesystem::path& root = "/");

} // namespace tune
