/// The world of a simulated experiment: its nodes, its delays, and its faults.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/ids.hpp"
#include "tune/core/liveness/liveness_rules.hpp"
#include "tune/core/resource/resources.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace tune {

/// A machine that runs trials.
struct simulated_node {
  std::string name;
  resources capacity;
};

/// Faults of a simulation. All probabilities are in [0, 1].
struct fault_model {
  /// An iteration throws.
  double failure = 0;
  /// A checkpoint cannot be written.
  double save_failure = 0;
  /// A node has no room in memory for a pause's checkpoint: it goes to disk.
  double no_memory = 0;
  /// A checkpoint turns out to be torn when it is restored; once torn, always torn.
  double torn = 0;
  /// A node cannot start a process for an attempt, for a while.
  double no_process = 0;
  /// A message arrives twice.
  double doubled = 0;
  /// The message about a start arrives after messages that were sent later.
  double reordered = 0;

  /// Number of sudden events: a node is lost or frozen, its link is cut, the head is lost or
  /// sleeps, a trial's process is killed, a client stops a trial, or pauses one or all for a while.
  std::uint32_t sudden = 0;
  /// Sudden events come at random among this many first events of the log. [>= 1]
  std::uint64_t within = 400;
  /// Clients also let a trial go on that is paused, whoever paused it, and have one run again that
  /// has ended.
  bool recalls = false;

  /// Mean time between losses of one node, exponential. 0 = never.
  instant node_mtbf{0};
  /// Mean time until a lost node returns; the actual time is between half and one and a half times
  /// that.
  instant node_repair{std::chrono::minutes{5}};
};

/// Checkpoints that trainables of a simulation hand over unasked.
struct handing_over {
  /// Probability that a report comes with a checkpoint. [0, 1]
  double chance = 0;
  /// True if trainables cannot save when asked, and say so.
  bool only = false;
};

/// Parameters of a simulation. Equal options give equal runs.
struct simulation_options {
  std::uint64_t seed = 1;
  /// Nodes of the cluster. [>= 1]
  std::vector<simulated_node> nodes;
  /// Longest delay of any message, answer and commit, each drawn anew. 0: no delays.
  instant most_delay{0};
  /// A node that is silent for this long counts as lost.
  instant lost_after = default_lost_after;
  /// Nodes keep what they run for a head that died, for so long; 0: it ends with its head. See
  /// `liveness_rules`.
  instant head_grace{0};
  fault_model faults;
  handing_over hands_over;

  /// Simulates a disk that takes time, and from which the next head starts. Otherwise everything is
  /// durable at once, nothing is kept, and the head cannot be lost.
  bool records = true;
  /// Keeps all carried-out commands, for tests.
  bool keeps_commands = false;
  /// Hashes all state after each event; slow.
  bool hashes = false;
};

} // namespace tune
