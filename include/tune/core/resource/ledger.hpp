/// The account of all nodes' resources: grants, refuses, queues and frees; never overcommits.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/cluster/allocation_terms.hpp"
#include "tune/core/error.hpp"
#include "tune/core/ids.hpp"
#include "tune/core/resource/placement.hpp"
#include "tune/core/resource/resources.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace tune {

/// A granted request.
struct lease {
  lease_id id; ///< The ids after it name the other bundles, one each: see `lease_parts`.
  /// One grant per bundle of the request, in its order.
  std::vector<bundle_grant> bundles;
  friend bool operator==(const lease&, const lease&) = default;
};

/// Capacities, grants and the queue of waiting requests.
///
/// Among several owners of requests the one with the fewest grants is served first; each owner's
/// requests are served in order of arrival: a later one never overtakes an earlier one of the same
/// shape, but may overtake one of another shape that cannot be placed now. Each GPU is shared by
/// fractions up to 1 of a single device; requests above 1 must be whole and get whole devices. A
/// request without bundles counts as one bundle that asks for nothing: it needs a node, but none of
/// its resources.
///
/// Entering, withdrawing and freeing cost O(log n) of n waiting requests. `grant` costs one search
/// per grant, and one per *shape* of request that does not fit, regardless of the number waiting.
class ledger {
public:
  /// @param first_lease The number of the first lease; the others follow. [>= 1]
  explicit ledger(std::uint64_t first_lease = 1) : next_lease_{first_lease} {}

  /// Adds a node or changes its capacity; its number of devices is the whole part of
  /// `capacity.gpu`. Grants beyond a smaller capacity stay valid. A node that returns under its
  /// name still carries the earlier grants of it that are not freed yet.
  void set_node(const std::string& node, resources capacity, node_labels labels = {});
  /// Removes a node. Its grants stay in the books until freed.
  void remove_node(const std::string& node);
  /// The node hosts no trainable of this owner until `unhold`, or until the node is set again.
  void hold(const std::string& node, std::uint64_t owner);
  void unhold(const std::string& node, std::uint64_t owner);

  /// The reason why a request could never be granted by the nodes known now; empty if it could.
  /// Nodes on hold count as able to grant.
  /// @param without Nodes to leave out.
  /// @returns `ec::impossible_request`, with the request and the cluster's summary.
  [[nodiscard]] std::optional<error> impossible(const resource_request& what,
                                                const node_labels& labels = {},
                                                const std::set<std::string>& without = {}) const;

  /// Enters a request. `token` is the caller's name for it, unique among waiting requests: a
  /// waiting request with the same token is replaced.
  /// @param owner The party that shares resources with others.
  void enqueue(std::uint64_t token, resource_request what, node_labels labels = {},
               std::uint64_t owner = 0);
  /// Withdraws a waiting request. @returns whether it was still waiting.
  bool cancel(std::uint64_t token);

  struct granted {
    std::uint64_t token = 0;
    lease what;
  };
  /// Grants whatever fits now, in order. Call after each change.
  [[nodiscard]] std::vector<granted> grant();

  /// Waiting requests of one owner and one shape that the nodes known now could never grant.
  struct stranded {
    std::uint64_t owner = 0;
    /// The reason, as `impossible` gives it.
    std::string why;
  };
  /// The stranded requests in order of owners. Costs one search per shape.
  [[nodiscard]] std::vector<stranded> stranded_requests() const;

  /// Enters a lease that an earlier ledger granted. @param what Of nodes that are set, and with
  /// numbers that were not given here.
  void adopt(const lease& what, std::uint64_t owner);
  /// Gives a lease back. @returns whether it was known.
  bool release(lease_id id);

  /// Capacity of all nodes together, and the granted part of it. Nodes that went away count in
  /// neither.
  [[nodiscard]] resources total() const;
  [[nodiscard]] resources used() const;
  /// What is granted of a node that was removed, and is not freed yet.
  [[nodiscard]] resources held_on_removed(const std::string& node) const;
  /// The nodes that have all these labels: what they offer together, and who holds what of it.
  /// Costs O(n) of n leases.
  [[nodiscard]] room_on_nodes room_with(const node_labels& labels) const;
  /// The node where the request would be granted now, were no node on hold for its owner; empty:
  /// nowhere. Costs one search among copies of all nodes.
  [[nodiscard]] std::string awaited_node(const resource_request& what, const node_labels& labels,
                                         std::uint64_t owner) const;
  /// Whether the request would be granted now if it were the only one. Costs one search
  /// among copies of all nodes.
  [[nodiscard]] bool has_room_for(const resource_request& what, const node_labels& labels,
                                  std::uint64_t owner) const;
  /// Whether one of these nodes has all the labels.
  [[nodiscard]] bool has_node_with(const node_labels& labels,
                                   const std::set<std::string>& among) const;
  /// "2 nodes: 8 CPU, 1 GPU, 31.2 GiB memory".
  [[nodiscard]] std::string summary() const;
  [[nodiscard]] std::size_t waiting() const { return waiters_.size(); }

private:
  /// Equal requests of one owner, by arrival.
  using line = std::map<std::uint64_t, std::uint64_t>;
  struct shape {
    std::uint64_t owner = 0;
    resource_request what;
    node_labels labels;
    friend auto operator<=>(const shape&, const shape&) = default;
  };
  using lines = std::map<shape, line>;
  struct waiter {
    std::uint64_t arrival = 0;
    lines::iterator where;
  };

  node_accounts nodes_;
  lines lines_;
  /// Waiting requests by token.
  std::map<std::uint64_t, waiter> waiters_;
  /// Lines whose first request may fit, by owner and that request's arrival. The others wait until
  /// something is freed.
  std::map<std::uint64_t, std::map<std::uint64_t, lines::iterator>> hopeful_;
  struct booking {
    lease what;
    std::uint64_t owner = 0;
  };
  std::map<lease_id, booking> leases_;
  /// Number of grants in use by owner; owners without grants are absent.
  std::map<std::uint64_t, std::uint64_t> held_;
  std::uint64_t next_lease_;
  std::uint64_t next_arrival_ = 1;

  void forget_if_settled(node_accounts::iterator node);
  void wake_all();
  void hope(lines::iterator where);
  /// @returns whether the line was hopeful.
  bool give_up(std::uint64_t owner, std::uint64_t arrival);
  [[nodiscard]] std::uint64_t next_owner() const;
  lease book(std::vector<bundle_grant> bundles, std::uint64_t owner);
  void enter(const lease& what, std::uint64_t owner);
};

} // namespace tune
