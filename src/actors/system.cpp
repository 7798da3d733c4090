// SPDX-License-Identifier: BSD-3-Clause
#include "tune/actors/system.hpp"

#include "tune/actors/caf_modules.hpp"

#include <algorithm>
#include <mutex>
#include <thread>

namespace tune {

namespace {

/// Most messages that an actor handles in one turn. With CAF's default, no limit, two busy actors
/// starve a third for good.
constexpr std::size_t share_per_turn = 300;

} // namespace

void init_message_types() {
  static std::once_flag once;
  std::call_once(once, [] { init_types<caf::id_block::tune_atoms, caf::id_block::tune_types>(); });
}

void configure(caf::actor_system_config& config, std::size_t threads) {
  init_message_types();
  add_types<caf::id_block::tune_types>(config);
  if (threads == 0)
    threads = std::clamp<std::size_t>(std::thread::hardware_concurrency(), 2, 4);
  share_one_queue(config);
  use_sharing_scheduler(config);
  set(config, "scheduler.max-threads", threads);
  set(config, "scheduler.max-throughput", share_per_turn);
}

} // namespace tune
