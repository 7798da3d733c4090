/// Message by which the guard of a dead worker tells its head.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/net/dial.hpp"
#include "tune/net/hello.hpp"

#include <chrono>

namespace tune {

/// Tells the head behind `node_registry` that a worker has died, and waits for its answer.
/// @errors those of the dialer; `ec::unreachable` if the head does not answer in time;
///         `ec::refused`, with its reason, if it refuses the message.
[[nodiscard]] expected<void> say_farewell(caf::actor_system& system,
                                          const head_dialer& node_registry, const farewell& words,
                                          std::chrono::milliseconds patience);

} // namespace tune
