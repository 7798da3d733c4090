/// A process as another one knows it, perhaps from another machine.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

namespace tune {

/// Names this process for ever: machine, boot, PID namespace, number and beginning. Empty where
/// /proc does not tell.
[[nodiscard]] std::string mark_of_this_process();

/// Whether the process of this mark has certainly ended. False where it runs, and where nobody here
/// can tell: on another machine, or out of sight.
[[nodiscard]] bool is_known_gone(const std::string& mark);

} // namespace tune
