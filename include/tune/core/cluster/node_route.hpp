/// Addresses at which nodes reach each other, derived from each node's own route to the head.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

namespace tune {

/// The two ends of a node's route to its head. Addresses are numeric, without brackets.
struct node_route {
  /// Address of the node's end; empty: the node lives in the head's process.
  std::string own;
  /// Address of the head's end, as this node reaches it; empty likewise.
  std::string head;
  friend bool operator==(const node_route&, const node_route&) = default;
};

/// One address for each of some nodes, such that all of the nodes reach it.
///
/// A node on the head's machine (the head's own, or one that came by a loopback address) gets the
/// address by which the first of the others reaches the head; if all are on the head's machine,
/// 127.0.0.1.
[[nodiscard]] std::vector<std::string> addresses_of(const std::vector<node_route>& nodes);

} // namespace tune
