/// Asks a head about itself without joining it.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/net/dial.hpp"
#include "tune/net/hello.hpp"

#include <chrono>

namespace tune {

/// What a head told of itself, and how far away it is.
struct head_checkup {
  checkup_answer facts;
  /// How far the head's wall clock is before this one's, give or take half a `round_trip`.
  std::chrono::milliseconds ahead{0};
  std::chrono::milliseconds round_trip{0};
};

/// Connects, asks, and hangs up: the head enters nobody in its books. Blocks, for a bounded time.
/// @errors those of `dial`; `ec::refused` if the head answers no such questions; `ec::protocol` if
///         the answer makes no sense.
[[nodiscard]] expected<head_checkup> ask_for_checkup(caf::actor_system& system,
                                                     const head_dialer& dial,
                                                     const checkup_question& question,
                                                     std::chrono::milliseconds patience);

} // namespace tune
