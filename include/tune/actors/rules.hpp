/// The SCHEDULER and the SEARCHER: core rules with a mailbox lent to them.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/actors/actors.hpp"
#include "tune/core/schedule/scheduler.hpp"
#include "tune/core/search/searcher.hpp"

#include <memory>

namespace tune {

/// @param rule must not be null; used by the actor alone from now on.
/// @param own_thread Whether what `judge_later` gives is worked out on a thread of its own.
[[nodiscard]] scheduler_actor
spawn_scheduler(caf::actor_system& system, std::unique_ptr<scheduler> rule, bool own_thread = true);

/// @param rule must not be null; used by the actor alone from now on.
[[nodiscard]] searcher_actor spawn_searcher(caf::actor_system& system,
                                            std::unique_ptr<searcher> rule);

} // namespace tune
