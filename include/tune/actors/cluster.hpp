/// The CLUSTER: the ledger of all nodes' resources behind a mailbox.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/actors/actors.hpp"

#include <functional>
#include <string>

namespace tune {

/// Grants leases to runners in order of their requests; never overcommits.
///
/// @param say Told of workers that are lost or back while no experiment uses them, in lines for
///            people; from another thread. Empty: nobody is told.
[[nodiscard]] cluster_actor spawn_cluster(caf::actor_system& system,
                                          std::function<void(const std::string&)> say = {});

} // namespace tune
