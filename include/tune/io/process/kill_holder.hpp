/// Ends a process of this machine that holds a lock and does not move any more.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/error.hpp"

#include <chrono>
#include <filesystem>
#include <string>

namespace tune {

/// Kills the process of this mark, and waits for its end. One that has ended is no error.
///
/// No other process is ever hit: it must have the boot, the namespaces, the PID and the start time
/// of the mark, be of this user, be another one than this, and have `lock` open and locked; the
/// signal goes by pidfd. So whoever can write the mark can name no process but those that hold the
/// lock anyway.
/// @param mark     As `mark_of_this_process` said it to that process.
/// @param lock     A file.
/// @param patience Time to wait for its end.
/// @errors `ec::refused` if it is not known to be that process, as it is on another machine, in
///   another container or of another user: nothing was done; `ec::process` if it cannot be killed,
///   or the kernel holds it.
[[nodiscard]] expected<void> kill_holder(const std::string& mark, const std::filesystem::path& lock,
                                         std::chrono::milliseconds patience);

} // namespace tune
