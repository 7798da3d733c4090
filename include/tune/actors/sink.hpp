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

/// What a sink does beside catching up. All functions are called from the sink's thread.
struct sink_manners {
  /// Told why its work ended; once.
  std::function<void(const error&)> on_failure = {};
  /// Told of a failure that may pass, and of the first success after it. Empty: such failures are
  /// tried again with the next commit, and nobody hears of them.
  std::function<void(const error&)> on_away = {};
  std::function<void()> on_back = {};
  /// How long failures that may pass are tried again after the last commit.
  std::chrono::milliseconds patience = std::chrono::seconds{5};
  /// Longest rest after a round of work, for a sink whose rounds cost something beside what they
  /// take over: it rests for 19 times as long as the round took, so that many commits are taken
  /// over at once. The end waits for no rest. 0: none.
  std::chrono::milliseconds longest_rest{0};
};

/// Spawns a sink on a thread of its own. A slow one lags; what it has not seen waits in the
/// database, never in memory. A failure is reported once, by `on_failure`, and ends its work. After
/// an `ec::shortage` or `ec::unreachable`, however, it tries again: with the next commit, or, with
/// `on_away`, after a pause that grows from half a second to half a minute; and after the last
/// commit by itself for as long as `patience`.
/// @param catch_up called from the sink's thread only, and destroyed there.
[[nodiscard]] sink_actor spawn_sink(caf::actor_system& system, catch_up_function catch_up,
                                    sink_manners manners);

} // namespace tune
