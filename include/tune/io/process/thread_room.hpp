/// Whether this process may start the threads that it is about to need.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/error.hpp"

#include <cstddef>

namespace tune {

/// Starts so many threads at once, and lets them go again: there was room for them a moment ago.
/// Asked before an actor system is made, which ends the process where it finds none.
/// @errors `ec::shortage`, with how many there were and where to look.
[[nodiscard]] expected<void> can_start_threads(std::size_t count);

} // namespace tune
