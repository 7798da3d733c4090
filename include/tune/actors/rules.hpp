/// The SCHEDULER and the SEARCHER: core rules with a mailbox lent to them.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/actors/actors.hpp"
#include "tune/core/schedule/scheduler.hpp"
#include "tune/core/search/searcher.hpp"

#include <memory>

namespace tune {

/// @param rule must not be null; used by the actor alone from now on.
[[nodiscard]] scheduler_actor spawn_scheduler(caf::actor_system& system,
                                              std::unique_ptr<scheduler> rule);

/// @param rule must not be null; used by the actor alone from now on.
[[nodiscard]] searcher_actor spawn_searcher(caf::actor_system& system,
                                            std::unique_ptr<searcher> rule);

} // namespace tune
