/// Marks that identify a process to others, even on another machine.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/liveness/leftover.hpp"

#include <sys/types.h>

#include <optional>
#include <string>

namespace tune {

/// A unique mark of this process: machine, boot, PID and time namespace, PID and start time. Empty
/// if /proc cannot tell or belongs to another PID namespace.
[[nodiscard]] std::string mark_of_this_process();

/// The name of a process that is visible to this one.
[[nodiscard]] std::optional<process_name> name_of_process(pid_t pid);

/// Whether the process of this mark has certainly ended. False if it runs, and if this process
/// cannot tell because it is on another machine or out of sight.
[[nodiscard]] bool is_known_gone(const std::string& mark);

/// The processes visible to this one; empty if /proc belongs to another PID namespace.
[[nodiscard]] std::optional<process_view> view_of_processes();

} // namespace tune
