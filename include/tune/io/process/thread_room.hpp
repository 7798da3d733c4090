/// Checks whether this process may start the threads that it is about to need.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/error.hpp"

#include <cstddef>

namespace tune {

/// Starts `count` threads at once and lets them end again, which shows that there was room for them
/// a moment ago. Call it before an actor system is made, which ends the process if it finds no
/// room.
/// @errors `ec::shortage`, with the number of threads that could start and where to look.
[[nodiscard]] expected<void> can_start_threads(std::size_t count);

} // namespace tune
