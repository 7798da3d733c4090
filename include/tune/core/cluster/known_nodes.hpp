/// The head's notes on each of its nodes: what it offers, and what it has still to hear.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/cluster/node_route.hpp"
#include "tune/core/resource/placement.hpp"
#include "tune/core/resource/resources.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace tune {

/// The part of a node's offer that does not change while the node is a member, but for its route.
struct node_profile {
  resources capacity;
  /// Names for its abilities that nodes and requests agree on.
  node_labels labels;
  node_route route = {};
  /// Names of its GPUs by index.
  std::vector<std::string> devices = {};
};

/// The checkpoint of a paused trial in a node's memory.
struct pause_in_memory {
  std::string job;
  /// As in `on::saved`.
  std::string location;
};

/// Notes on the nodes that are members, as a value. See `membership` for their sessions.
class known_nodes {
public:
  /// News that a node missed while it was away.
  struct missed_news {
    /// Jobs that were over.
    std::set<std::string> jobs = {};
    /// Pauses that were dropped, in order.
    std::vector<pause_in_memory> pauses = {};
  };

  struct note {
    node_profile profile;
    /// The worker process that the node lives in; empty: the head's own process.
    std::string worker = {};
    /// The present session; 0: the node has none, and is never away.
    std::uint64_t session = 0;
    /// The node was lost too often: for a while it gets no trials and is not announced.
    bool is_resting = false;
    /// The session in which that rest began.
    std::uint64_t rest_session = 0;
    missed_news missed = {};
  };

  /// The node becomes a member, or changes its offer: earlier notes on it are dropped.
  note& came(const std::string& node, note what);
  /// The node was lost. @returns whether it was known.
  bool lost(const std::string& node) { return all_.erase(node) > 0; }

  /// Null if the node is unknown.
  [[nodiscard]] note* find(const std::string& node);
  [[nodiscard]] const note* find(const std::string& node) const;
  /// By name.
  [[nodiscard]] const std::map<std::string, note>& all() const { return all_; }
  [[nodiscard]] std::size_t size() const { return all_.size(); }

  /// Labels of trainables among `asked` that the node lacks; none for the head's own node.
  [[nodiscard]] std::vector<std::string> missing_trainables(const std::string& node,
                                                            const node_labels& asked) const;
  /// One address for each of these nodes: see `addresses_of`. Unknown nodes count as the head's.
  [[nodiscard]] std::vector<std::string> addresses(const std::vector<std::string>& nodes) const;
  /// The node's names for its GPUs; the index stands for those that have none.
  [[nodiscard]] std::vector<std::string>
  device_names(const std::string& node, const std::vector<std::uint32_t>& indices) const;

private:
  std::map<std::string, note> all_;
};

} // namespace tune
