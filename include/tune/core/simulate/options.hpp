/// The world of a simulated experiment: its nodes, its delays, and what goes wrong.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/ids.hpp"
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

/// What goes wrong. All chances are in [0, 1].
struct fault_model {
  /// An iteration throws.
  double failure = 0;
  /// A checkpoint cannot be written.
  double save_failure = 0;
  /// A node has no room in memory for what a trial pauses with: it goes to disk.
  double no_memory = 0;
  /// A checkpoint turns out to be torn when it is restored; once torn, always torn.
  double torn = 0;
  /// A node can make no process for an attempt, for a while.
  double no_process = 0;
  /// A message arrives twice.
  double doubled = 0;
  /// News of a start comes after news that were sent later.
  double reordered = 0;

  /// Sudden events: a node is lost or frozen, its link is cut, the head is lost or sleeps, a
  /// trial's process is killed, a client stops a trial, or pauses one or all for a while.
  std::uint32_t sudden = 0;
  /// They come at random among the first so many events of the log. [>= 1]
  std::uint64_t within = 400;
  /// Clients also let a trial go on that is paused, whoever paused it, and have one run again that
  /// has ended.
  bool recalls = false;

  /// Mean time between losses of one node, exponential. 0 = never.
  instant node_mtbf{0};
  /// How long a node that was lost stays away; half of it at least, one and a half times at most.
  instant node_repair{std::chrono::minutes{5}};
};

/// How trainables of a simulation come by their checkpoints, beside what they are asked for.
struct handing_over {
  /// Chance that a report comes with one. [0, 1]
  double chance = 0;
  /// They cannot save when they are asked, and say so.
  bool only = false;
};

/// How a simulation goes. Equal options give equal runs.
struct simulation_options {
  std::uint64_t seed = 1;
  /// [>= 1]
  std::vector<simulated_node> nodes;
  /// Longest delay of any message, answer and commit, each drawn anew. 0: all at once.
  instant most_delay{0};
  /// A node that is silent for so long is taken for lost.
  instant lost_after{std::chrono::seconds{10}};
  fault_model faults;
  handing_over hands_over;

  /// A disk that takes time and that the next head starts from. Without, all is durable at once,
  /// nothing is kept, and the head cannot be lost.
  bool records = true;
  /// Keeps all commands that were carried out, for tests.
  bool keeps_commands = false;
  /// Hashes all state after each event; slow.
  bool hashes = false;
};

} // namespace tune
