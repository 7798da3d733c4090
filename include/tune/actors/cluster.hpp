/// The CLUSTER: the ledger of all nodes' resources behind a mailbox.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/actors/actors.hpp"
#include "tune/core/cluster/allocation_terms.hpp"
#include "tune/core/cluster/queue_claim.hpp"
#include "tune/core/cluster/scaling_demand.hpp"
#include "tune/io/scaling/scaling_command.hpp"

#include <functional>
#include <string>
#include <vector>

namespace tune {

/// An attempt that the head before this one launched: see `awaited_attempt`.
struct attempt_awaited {
  launch_order order;
  lease what;
  resource_request request;
  node_labels labels;
  bool has_begun = false;
};

/// The nodes that the record of a runner calls there, behind its last `attempt_awaited`: see
/// `cluster_plan::knew`.
struct nodes_known {
  std::vector<std::string> nodes;
};

/// Nodes are let in from now on; those that are awaited have this long to come.
struct wait_begins {
  instant most{0};
};

/// Tells where the experiment of a runner stands among the others; before it asks for anything.
struct standing_told {
  owner_standing what;
  queue_claim claim = {};
  /// Called when it comes to be served and has something to run, and when it waits again; by the
  /// cluster, so it must be quick. May be empty.
  std::function<void()> on_moved = {};
};
/// Experiments of the head before this one come back: see `cluster_plan::close_queue`.
struct queue_closed {};
/// They are back, as far as they can be now.
struct queue_opened {};
/// Asks where it stands now.
struct standing_question {};

/// A trial of the runner has paused to make room.
struct room_made {
  /// As in `made_room_text`.
  std::string for_whom;
};
/// Whether trials of the runner can save: see `shown_saving`.
struct saving_shown {
  bool can_save = true;
};

/// Asks what there is and what waits.
struct need_question {};

/// Workers that get no trials any more, or, in the answer, those that really do not.
struct workers_held {
  std::vector<std::string> workers;
};

/// Workers that get trials again.
struct workers_released {
  std::vector<std::string> workers;
};

/// The CLUSTER as its own process sees it.
using cluster_local_actor
    = extend<cluster_actor,
             // From a runner, before nodes are let in.
             caf::result<void>(attempt_awaited, trial_actor, runner_actor),
             caf::result<void>(nodes_known, runner_actor),
             // From a runner.
             caf::result<void>(room_made, runner_actor),
             caf::result<void>(saving_shown, runner_actor),
             // From whoever spawned the runner.
             caf::result<void>(standing_told, runner_actor),
             // From the head's owner.
             caf::result<void>(queue_closed), caf::result<void>(queue_opened),
             caf::result<allocation_view>(standing_question, runner_actor),
             // From the head's owner. Answers with the names of nodes that are awaited, one a line.
             caf::result<std::string>(wait_begins),
             // From the scaler: see `cluster_plan::need` and what follows it there.
             caf::result<cluster_need>(need_question), caf::result<workers_held>(workers_held),
             caf::result<void>(workers_released)>;

/// Grants leases to runners by the rule of `allocation_order`; never overcommits.
///
/// @param first_lease As in `ledger`.
/// @param say Told of workers that are lost or back while no experiment uses them, in lines for
///            people; from another thread. Empty: nobody is told.
[[nodiscard]] cluster_actor spawn_cluster(caf::actor_system& system,
                                          std::function<void(const std::string&)> say = {},
                                          std::uint64_t first_lease = 1,
                                          allocation_limits limits = {});

} // namespace tune

TUNE_BEGIN_LOCAL_TYPES(tune_cluster_local)
TUNE_LOCAL_TYPE(tune_cluster_local, tune::attempt_awaited)
TUNE_LOCAL_TYPE(tune_cluster_local, tune::nodes_known)
TUNE_LOCAL_TYPE(tune_cluster_local, tune::wait_begins)
TUNE_LOCAL_TYPE(tune_cluster_local, tune::need_question)
TUNE_LOCAL_TYPE(tune_cluster_local, tune::standing_told)
TUNE_LOCAL_TYPE(tune_cluster_local, tune::queue_closed)
TUNE_LOCAL_TYPE(tune_cluster_local, tune::queue_opened)
TUNE_LOCAL_TYPE(tune_cluster_local, tune::standing_question)
TUNE_LOCAL_TYPE(tune_cluster_local, tune::allocation_view)
TUNE_LOCAL_TYPE(tune_cluster_local, tune::cluster_need)
TUNE_LOCAL_TYPE(tune_cluster_local, tune::workers_held)
TUNE_LOCAL_TYPE(tune_cluster_local, tune::workers_released)
TUNE_LOCAL_TYPE(tune_cluster_local, tune::scaling_call)
TUNE_LOCAL_TYPE(tune_cluster_local, tune::scaling_result)
TUNE_LOCAL_TYPE(tune_cluster_local, tune::room_made)
TUNE_LOCAL_TYPE(tune_cluster_local, tune::saving_shown)
TUNE_END_LOCAL_TYPES(tune_cluster_local)
