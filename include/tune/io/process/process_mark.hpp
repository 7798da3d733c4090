/// A process as another one knows it, perhaps from another machine.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/liveness/leftover.hpp"

#include <sys/types.h>

#include <optional>
#include <string>

namespace tune {

/// Names this process for ever: machine, boot, PID and time namespace, number and beginning. Empty
/// where /proc does not tell, or is that of another PID namespace.
[[nodiscard]] std::string mark_of_this_process();

/// The same of a process that lives in sight of this one.
[[nodiscard]] std::optional<process_name> name_of_process(pid_t pid);

/// Whether the process of this mark has certainly ended. False where it runs, and where nobody here
/// can tell: on another machine, or out of sight.
[[nodiscard]] bool is_known_gone(const std::string& mark);

/// What lives in sight of this process; nothing where /proc is that of another PID namespace.
[[nodiscard]] std::optional<process_view> view_of_processes();

} // namespace tune
