/// The two ends of this machine's way to a peer.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/cluster/node_route.hpp"
#include "tune/io/probe/probe.hpp"

namespace tune {

/// Asks the kernel which of this machine's addresses leads to `whom`; sends nothing there. Blocks
/// while the name is looked up, until the deadline at most.
/// @returns nothing of it known where there is no way.
[[nodiscard]] node_route route_to(const peer_address& whom, probe_deadline until);

} // namespace tune
