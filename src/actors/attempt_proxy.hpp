/// The ATTEMPT PROXY: keeps the messages of an attempt until its trial, on another node, has heard
/// them. Private to actors.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/actors/actors.hpp"
#include "tune/actors/session_fence.hpp"

#include <memory>

namespace tune {

/// An attempt proxy as its node and its trainable see it.
using attempt_proxy_local_actor = extend<trial_actor,
                                         // From the node: the trial can be reached here from now
                                         // on, and is sent everything it has not heard.
                                         caf::result<void>(trial_actor),
                                         // From the node: see `job::trains_on`.
                                         caf::result<void>(bool)>;

/// Spawns the attempt proxy of one attempt. It ends when it is told to, without sending what was
/// not heard. It answers a ping once everything was heard, or the trial is gone.
///
/// @param gate The attempt proxy sends nothing while this is shut.
[[nodiscard]] attempt_proxy_local_actor
spawn_attempt_proxy(caf::actor_system& system, attempt_key attempt,
                    std::shared_ptr<const session_fence> gate, trial_actor trial);

} // namespace tune
