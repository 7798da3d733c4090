/// The DIALER of a worker: connects to its head. Private to net.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/cluster/node_route.hpp"
#include "tune/core/error.hpp"
#include "tune/net/actors.hpp"
#include "tune/net/dial.hpp"

#include <functional>

namespace tune {

/// Result of dialling.
struct dialed {
  /// Null: the head was not reached, and `why` says why.
  node_registry_actor node_registry;
  error why;
  node_route route;
};

/// Connects on a thread of its own, since that blocks. Only its head session knows it: see
/// docs/decisions/0005.
using dialer_actor = typed_actor<caf::result<dialed>(run_atom)>;

/// Spawns a dialer.
/// @param route      Called after each dialling, on the dialer's thread; null: the route is
/// unknown.
/// @param own_thread False is for schedulers that must see every message.
[[nodiscard]] dialer_actor spawn_dialer(caf::actor_system& system, head_dialer dial,
                                        std::function<node_route()> route, bool own_thread);

} // namespace tune

TUNE_BEGIN_LOCAL_TYPES(tune_head_session)
TUNE_LOCAL_TYPE(tune_head_session, tune::dialed)
TUNE_END_LOCAL_TYPES(tune_head_session)
