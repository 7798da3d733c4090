/// The ATTEMPT PROXY: keeps what an attempt says until its trial, on another node, has heard it.
/// Private to actors.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/actors/actors.hpp"
#include "tune/actors/session_fence.hpp"

#include <memory>

namespace tune {

/// An attempt proxy, as its node and its trainable see it.
using attempt_proxy_local_actor
    = extend<trial_actor,
             // The trial is here from now on: hears all that was not heard.
             caf::result<void>(trial_actor)>;

/// Spawns the attempt proxy of one attempt. It goes when it is told to, and nothing that was not
/// heard is sent then. It answers a ping once all was heard, or nobody is left to hear it.
///
/// @param gate It says nothing while that is shut.
[[nodiscard]] attempt_proxy_local_actor
spawn_attempt_proxy(caf::actor_system& system, attempt_key attempt,
                    std::shared_ptr<const session_fence> gate, trial_actor trial);

} // namespace tune
