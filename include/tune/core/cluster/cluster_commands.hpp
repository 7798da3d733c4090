/// The commands that tell a head what to do about its nodes and their leases.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/cluster/known_nodes.hpp"
#include "tune/core/cluster/readiness.hpp"
#include "tune/core/experiment/event.hpp"
#include "tune/core/ids.hpp"
#include "tune/core/resource/ledger.hpp"

#include <chrono>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace tune {

/// An owner is the number of an experiment.
namespace cluster_cmd {

// -- To nodes.

/// Speak with the node that has just arrived under this name, and watch it.
struct attend {
  std::string node;
};
/// The node is lost: its contact is forgotten.
struct let_go {
  std::string node;
};
/// Tell the node which of its allocations go on, and that no others do.
struct keep {
  std::string node;
  std::uint64_t session = 0;
  std::vector<lease_id> leases;
  /// The head knows nothing of what the node had before.
  bool is_new = false;
};
/// Send the launch order of this allocation, perhaps once more, with these numbers: see
/// `node_plan::order`.
struct order {
  lease_id lease;
  std::string node;
  std::uint64_t turn = 0;
  std::uint64_t session = 0;
};
/// Nothing is launched for this allocation any more: its launch order is forgotten.
struct forget_order {
  lease_id lease;
};
/// Tell the node that the allocation is no longer wanted.
struct revoke {
  std::string node;
  lease_id lease;
};
/// Tell the node that the job is over.
struct end_job {
  std::string node;
  std::string job;
};
/// Have the node remove the checkpoint of a paused trial from its memory.
struct drop_pause {
  std::string node;
  pause_in_memory what;
};
/// Have the node hand back its trials and go.
struct drain {
  std::string node;
};

// -- To experiments.

struct grant {
  std::uint64_t owner = 0;
  trial_id trial;
  lease what;
  /// The node on which the trainable of the lease is launched.
  std::string node;
};
/// Have the trial pause, so that its lease makes room, and wait for its turn again.
struct make_room {
  std::uint64_t owner = 0;
  trial_id trial;
  lease_id lease;
  /// "high of bob, priority 5": who needs the room.
  std::string for_whom = {};
};
struct refuse {
  std::uint64_t owner = 0;
  trial_id trial;
  std::string why;
};
/// Say what requests of the owner wait for; an empty text: all can be granted again.
struct tell_unmet {
  std::uint64_t owner = 0;
  std::string text;
};
struct tell_event {
  std::uint64_t owner = 0;
  event_body what;
};
/// Tell the people of the experiment.
struct tell {
  std::uint64_t owner = 0;
  std::string text;
  /// Subject: only the first text on each is shown; empty: every one is shown.
  std::string about = {};
};
/// Tell whoever began the experiment that it stands elsewhere now: it is served from now on, or
/// waits again.
struct moved {
  std::uint64_t owner = 0;
};
/// Tell whoever runs the head: this concerns no experiment.
struct say {
  std::string text;
};

// -- To the head itself.

/// Call `end_hold` with the same once `rest.length` has passed.
struct end_hold_after {
  std::uint64_t owner = 0;
  std::string node;
  readiness::pause rest;
};
/// Call `end_rest` with the same after this time.
struct end_rest_after {
  std::string node;
  std::uint64_t session = 0;
  instant wait{0};
};
/// Call `look_for_unmet` after this time.
struct look_after {
  std::chrono::seconds wait{0};
};
/// Call `end_wait` after this time.
struct end_wait_after {
  instant wait{0};
};
/// The nodes that were told to go are gone.
struct all_gone {};

} // namespace cluster_cmd

using cluster_command
    = std::variant<cluster_cmd::attend, cluster_cmd::let_go, cluster_cmd::keep, cluster_cmd::order,
                   cluster_cmd::forget_order, cluster_cmd::revoke, cluster_cmd::end_job,
                   cluster_cmd::drop_pause, cluster_cmd::drain, cluster_cmd::grant,
                   cluster_cmd::make_room, cluster_cmd::refuse, cluster_cmd::tell_unmet,
                   cluster_cmd::tell_event, cluster_cmd::tell, cluster_cmd::moved, cluster_cmd::say,
                   cluster_cmd::end_hold_after, cluster_cmd::end_rest_after,
                   cluster_cmd::look_after, cluster_cmd::end_wait_after, cluster_cmd::all_gone>;
using cluster_commands = std::vector<cluster_command>;

} // namespace tune
