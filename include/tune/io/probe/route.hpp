/// The local and remote address of this machine's route to a peer.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/cluster/node_route.hpp"
#include "tune/io/probe/probe.hpp"

namespace tune {

/// Asks the kernel which of this machine's addresses is used to reach `whom`; sends nothing to it.
/// Blocks during the name lookup, at most until the deadline.
/// @returns a route with no known address if there is none.
[[nodiscard]] node_route route_to(const peer_address& whom, probe_deadline until);

} // namespace tune
