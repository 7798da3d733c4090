/// The head's view of its nodes: the members, their sessions, and what was launched on each.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/cluster/node_plan.hpp"
#include "tune/core/ids.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace tune {

/// A node arrives for the first time, or returns.
struct node_arrival {
  std::string node;
  /// The worker process that the node lives in; empty: the head's own process.
  std::string worker;
  /// Numbers the connection: a later one is larger. 0: the node has no connection, and is never
  /// away.
  std::uint64_t session = 0;
  node_holdings has;
};

/// The members of the cluster, as a value: the counterpart of `node_plan` at the head.
///
/// Its promise: **an attempt is launched once.** A launch is repeated only for the incarnation of
/// the node that it was meant for, and only if the node says that it did not arrive. A node that
/// ended everything and began anew without being heard is another incarnation: whatever ran there
/// is lost, and is placed again as a new attempt.
class membership {
public:
  enum class reception : std::uint8_t {
    /// The node is new, and nothing that it may still hold counts.
    joined,
    /// The node was away, and goes on where it left off.
    returned,
    /// Another node, or another incarnation of the node, has this name: call `lose` first, then
    /// `arrive` again.
    replaces,
    /// The node has arrived in a later session since.
    stale,
  };

  /// Tells the head what to do about a node that returned.
  struct arrival {
    reception how = reception::joined;
    /// The allocations that the head counts on; it counts on no others.
    std::vector<lease_id> kept;
    /// Launches among `kept` that arrived there: repeat each unchanged, since its trial speaks from
    /// another place.
    std::vector<lease_id> known;
    /// Launches among `kept` that did not arrive, in order: launch each anew with `launched`.
    std::vector<lease_id> missed;
    /// Allocations among `kept` that are no longer wanted.
    std::vector<lease_id> revoked;
    /// Allocations that ended while the node was away.
    std::vector<lease_id> over;
  };
  [[nodiscard]] arrival arrive(const node_arrival& what);

  /// The connection to the node is lost; the node itself is not lost yet.
  void part(const std::string& node);
  /// The node gets no further allocations. @returns whether that is news.
  bool leave(const std::string& node);
  /// The node is no longer a member. @returns its open allocations.
  std::vector<lease_id> lose(const std::string& node);

  [[nodiscard]] bool contains(const std::string& node) const { return nodes_.contains(node); }
  [[nodiscard]] bool is_away(const std::string& node) const;
  [[nodiscard]] bool is_leaving(const std::string& node) const;
  /// The node whose present session this is. 0 belongs to no node.
  [[nodiscard]] std::optional<std::string> node_of(std::uint64_t session) const;
  [[nodiscard]] std::size_t size() const { return nodes_.size(); }

  // -- Allocations.

  /// The ledger granted this allocation on the node.
  void granted(lease_id which, const std::string& node);
  /// The node holds this allocation since the time of the head before this one.
  void adopted(lease_id which, const std::string& node);
  /// The numbers of a launch: see `node_plan::order`.
  struct launch_number {
    std::uint64_t turn = 0;
    std::uint64_t session = 0;
  };
  /// The allocation is launched now. @returns empty if its node was lost meanwhile.
  std::optional<launch_number> launched(lease_id which);
  /// The numbers with which to repeat a launch that the node knows.
  [[nodiscard]] launch_number number_of(lease_id which) const;
  /// The allocation is no longer wanted. @returns its node, if there is one.
  std::optional<std::string> revoke(lease_id which);
  /// Nothing of the allocation runs any more. @returns whether it was open.
  bool over(lease_id which);
  /// The allocations of a node that are not over.
  [[nodiscard]] std::vector<lease_id> open_on(const std::string& node) const;
  /// The node of an allocation; empty if the allocation is not open.
  [[nodiscard]] std::optional<std::string> node_of(lease_id which) const;

private:
  struct member {
    std::string worker;
    std::uint64_t session = 0;
    std::uint64_t incarnation = 0;
    /// Number of launches on the node so far.
    std::uint64_t launches = 0;
    bool is_away = false;
    bool is_leaving = false;
    std::set<lease_id> open = {};
  };
  struct allocation {
    std::string node;
    /// Number of its launch on that node; 0: not launched yet.
    std::uint64_t turn = 0;
    bool is_revoked = false;
  };

  std::map<std::string, member> nodes_;
  std::map<lease_id, allocation> allocations_;

  arrival join(const node_arrival& what);
  arrival take_back(member& known, const node_arrival& what) const;
};

} // namespace tune
