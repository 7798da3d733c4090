/// The nodes that grant, with the demands that each of them meets.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/resource/placement.hpp"
#include "tune/core/resource/resources.hpp"

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace tune {

/// Remembers what a ledger was told of its nodes, so that they can be told anew once somebody
/// demands something that nobody demanded before. A value.
class served_nodes {
public:
  struct note {
    resources capacity;
    /// The node's own labels.
    node_labels labels;
    /// Owners for which it hosts nothing at present.
    std::set<std::uint64_t> closed_to = {};
    /// Its labels, and the known demands that it meets.
    node_labels all = {};
  };

  /// The node grants from now on, to all owners.
  void set(const std::string& node, const resources& capacity, node_labels labels);
  void remove(const std::string& node) { all_.erase(node); }
  void close(const std::string& node, std::uint64_t owner);
  void open(const std::string& node, std::uint64_t owner);
  /// Whether some node is closed to the owner.
  [[nodiscard]] bool is_closed_somewhere(std::uint64_t owner) const;

  /// The owner's requests have these labels.
  /// @returns nodes that meet a demand among them which nobody had before.
  [[nodiscard]] std::vector<std::string> learn(const node_labels& asked, std::uint64_t owner);
  /// The owner is gone, and with it the demands that nobody else has.
  void forget(std::uint64_t owner);

  [[nodiscard]] bool empty() const { return all_.empty(); }
  /// Null if the node does not grant.
  [[nodiscard]] const note* find(const std::string& node) const;
  /// The node's own labels, and the known demands that it meets. @pre It grants.
  [[nodiscard]] const node_labels& labels_of(const std::string& node) const {
    return all_.at(node).all;
  }

private:
  std::map<std::string, note> all_;
  /// Demands, with the owners who have them.
  std::map<std::string, std::set<std::uint64_t>> demands_;
};

/// What requests with these labels ask of a node: as for those that say nothing of taints, none is
/// tolerated.
[[nodiscard]] node_labels asked_of_nodes(node_labels asked);

} // namespace tune
