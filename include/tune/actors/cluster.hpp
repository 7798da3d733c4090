/// The CLUSTER: the ledger of all nodes' resources behind a mailbox.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/actors/actors.hpp"

namespace tune {

/// Grants leases to runners in order of their requests; never overcommits.
[[nodiscard]] cluster_actor spawn_cluster(caf::actor_system& system);

} // namespace tune
