/// Asks an actor from outside of any actor, and waits.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/actors/actors.hpp"

#include <chrono>
#include <optional>
#include <utility>

namespace tune {

/// Longest wait for answers that are given at once, however busy the machine.
inline constexpr std::chrono::seconds answer_patience{2};

/// Clears the thread's current logger: a scoped actor leaves its system's logger there, and the
/// system cannot end before that thread drops it, but threads of the program may live on.
struct logger_release {
  logger_release() = default;
  logger_release(const logger_release&) = delete;
  logger_release& operator=(const logger_release&) = delete;
  ~logger_release() { caf::logger::set_current_actor_system(nullptr); }
};

/// @returns the answer; nothing if none comes in time.
template <class Answer, class Handle, class... Words>
std::optional<Answer> asked(caf::actor_system& system, const Handle& whom, caf::timespan patience,
                            Words&&... words) {
  // Destroyed last.
  logger_release after;
  caf::scoped_actor self{system};
  std::optional<Answer> result;
  request(self.operator->(), whom, patience, std::forward<Words>(words)...)
      .receive([&](const Answer& x) { result = x; }, [](const caf::error&) {});
  return result;
}

} // namespace tune
