/// Assigns the actors of a `job_pool` to jobs, each actor on a thread of its own.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/actors/firm.hpp"
#include "tune/actors/job_pool.hpp"
#include "tune/core/error.hpp"
#include "tune/io/process/thread_room.hpp"

#include <string>
#include <utility>

namespace tune {

/// The actor that serves `job` from now on; if none is free, a new one, which ends with `self`.
/// @param own_thread Whether `spawn` starts a thread.
/// @errors `ec::shortage` if no thread can be started now.
template <class Self, class Actor, class Spawn>
[[nodiscard]] expected<Actor> server_of(Self* self, job_pool<Actor>& pool, const std::string& job,
                                        bool own_thread, Spawn spawn) {
  if (const auto* known = pool.take(job))
    return *known;
  auto room = own_thread ? can_start_threads(1) : expected<void>{};
  if (!room)
    return room.error();
  Actor made = spawn();
  share_end(self, made);
  pool.add(made, job);
  return made;
}

/// Tells the actor that serves `job` that it is over; the actor is free again once it has answered.
/// A disk that hangs may hold it up until then: there is no time limit, and it lives in this
/// process.
template <class Self, class Actor, class Over>
void end_service(Self* self, job_pool<Actor>& pool, const std::string& job, const Over& what) {
  const auto* known = pool.of(job);
  if (known == nullptr)
    return;
  request(self, *known, caf::infinite, what)
      .then([&pool, whom = *known] { pool.free(whom); }, [](const caf::error&) {});
}

} // namespace tune
