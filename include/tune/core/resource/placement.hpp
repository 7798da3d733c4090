/// Places the bundles of a request on nodes: all of them or none.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/resource/resources.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace tune {

/// A share of one GPU of a node.
struct gpu_share {
  /// Index of the device on its node.
  std::uint32_t device = 0;
  amount share;
  friend bool operator==(const gpu_share&, const gpu_share&) = default;
};

/// Resources held by one bundle of a lease.
struct bundle_grant {
  std::string node;
  resources what;
  /// Whole devices, or a share of a single one.
  std::vector<gpu_share> gpus;
  friend bool operator==(const bundle_grant&, const bundle_grant&) = default;
};

using node_labels = std::set<std::string>;

/// The books of one node.
struct node_account {
  resources capacity;
  /// Abilities of the node, in words that nodes and requests agree on.
  node_labels labels;
  resources used;
  /// Owners for which the node hosts no trainable at present; see `ledger::hold`.
  std::set<std::uint64_t> closed_to;
  /// Used share of each device. May be longer than the capacity says while grants of removed
  /// devices are outstanding.
  std::vector<amount> gpu_used;
  /// True if the node's capacity is gone while grants are still to be given back.
  bool gone = false;
  /// Number of bundles granted.
  std::uint64_t grants = 0;
};

using node_accounts = std::map<std::string, node_account>;

/// Devices of a node: the whole part of its GPU capacity.
[[nodiscard]] std::uint32_t device_count(const resources& capacity);

/// Enters a grant into the books of its node, or removes it again.
void take(node_account& account, const bundle_grant& what);
void give_back(node_account& account, const bundle_grant& what);

/// Looks for a place for each bundle: best fit with bounded backtracking.
///
/// `pack` prefers nodes of the same request, `spread` nodes without a bundle of it; the strict
/// forms refuse anything else. The next criterion is the least free capacity, or the most if the
/// request or its policy spreads. A bundle that asks for no GPU avoids nodes that have some; a
/// fraction of a GPU takes the fullest device of its node that holds it. Ties go to the first node
/// by name. The search gives up after a number of steps that grows only with the number of bundles;
/// simple requests never come near it.
///
/// @param labels Labels that the node of the first bundle, the trainable's own, must all have.
/// @param nodes Used as scratch space, and left as it was.
/// @param owner The owner of the request.
/// @returns one grant per bundle, in order; not yet entered into the books.
[[nodiscard]] std::optional<std::vector<bundle_grant>> find_placement(const resource_request& what,
                                                                      const node_labels& labels,
                                                                      node_accounts& nodes,
                                                                      std::uint64_t owner = 0);

} // namespace tune
