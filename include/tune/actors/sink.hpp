/// A SINK: an actor that follows the committed record.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/actors/actors.hpp"
#include "tune/core/error.hpp"

#include <chrono>
#include <functional>

namespace tune {

/// Takes over what is committed up to a point of the log, and remembers how far it got.
using catch_up_function = std::function<expected<void>(sequence committed)>;

/// Spawns a sink on a thread of its own. A slow one lags; what it has not seen waits in the
/// database, never in memory. A failure is reported once, by `on_failure`, and ends its work. After
/// an `ec::shortage`, however, it tries again with the next commit, and after the last commit by
/// itself for as long as `patience`.
/// @param catch_up   called from the sink's thread only, and destroyed there.
/// @param on_failure called from the sink's thread.
[[nodiscard]] sink_actor spawn_sink(caf::actor_system& system, catch_up_function catch_up,
                                    std::function<void(const error&)> on_failure,
                                    std::chrono::milliseconds patience = std::chrono::seconds{5});

} // namespace tune
