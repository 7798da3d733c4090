/// Spawns actors that have threads of their own where a thread may be lacking.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/error.hpp"
#include "tune/io/process/thread_room.hpp"

#include <system_error>
#include <type_traits>

namespace tune {

/// Spawns an actor that has a thread of its own. The thread is tried for first: an actor that did
/// not get its thread would count as running for ever.
/// @errors `ec::shortage` if no thread can be started now.
template <class Spawn>
[[nodiscard]] expected<std::invoke_result_t<Spawn>> spawn_with_thread(Spawn spawn) {
  if (auto room = can_start_threads(1); !room)
    return room.error();
  try {
    return spawn();
  } catch (const std::system_error& why) {
    return error{ec::shortage, std::string{"no thread can be started: "} + why.what()};
  }
}

} // namespace tune
