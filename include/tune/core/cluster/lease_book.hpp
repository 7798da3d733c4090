/// Requests for leases, the leases granted, and the nodes that are left out for a while.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/cluster/allocation_order.hpp"
#include "tune/core/cluster/lease_parts.hpp"
#include "tune/core/cluster/readiness.hpp"
#include "tune/core/cluster/scaling_demand.hpp"
#include "tune/core/cluster/served_nodes.hpp"
#include "tune/core/cluster/unmet_requests.hpp"
#include "tune/core/cluster/waiting_requests.hpp"
#include "tune/core/ids.hpp"
#include "tune/core/resource/ledger.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace tune {

struct endable_lease;

/// A request for a lease.
struct lease_wish {
  /// Number of the experiment that asks. Owners share by their standing, whatever the number of
  /// their waiting trials: see `allocation_order`.
  std::uint64_t owner = 0;
  trial_id trial;
  resource_request what;
  /// Whether to wait where no node known now could ever grant it.
  bool waits = false;
  /// Labels that the trainable's node must bear.
  node_labels labels = {};
  /// A further label, required as long as some node that bears it could ever grant the request;
  /// empty: none.
  std::string best = {};
};

/// The leases of all owners, as a value: the ledger, and what is known of each request and lease.
/// It knows nodes by name only; `membership` numbers what is launched on them.
class lease_book {
public:
  /// @param first_lease As in `ledger`.
  explicit lease_book(std::uint64_t first_lease = 1, allocation_limits limits = {})
      : books_{first_lease}, order_{std::move(limits)} {}

  // -- Nodes.

  /// The node grants from now on, and nothing holds it back.
  void set_node(const std::string& node, const resources& capacity, node_labels labels);
  /// The node grants nothing more; leases there stay.
  void remove_node(const std::string& node);
  /// The node hosts nothing more of this owner, or of all owners that have asked for something,
  /// until it is set again.
  void hold(const std::string& node, std::uint64_t owner);
  void hold_all(const std::string& node);

  // -- Owners.

  /// Tells the standing of an owner: see `allocation_order::enter`.
  void stand(std::uint64_t owner, owner_standing what, queue_claim claim = {});
  /// As those of `allocation_order`.
  void close_queue() { order_.close_queue(); }
  void open_queue() { order_.open_queue(); }
  /// Whether nodes may still come back that the head before had: then no request counts as one that
  /// no node could grant, and no experiment loses its place for that.
  void expect_nodes(bool whether) {
    nodes_changed_ = nodes_changed_ || whether != expects_nodes_;
    expects_nodes_ = whether;
  }
  void note_ran_before(std::uint64_t owner) { order_.note_ran_before(owner); }
  [[nodiscard]] std::vector<std::uint64_t> take_newly_served() {
    return order_.take_newly_served();
  }
  [[nodiscard]] std::vector<std::uint64_t> take_newly_waiting() {
    return order_.take_newly_waiting();
  }
  [[nodiscard]] const owner_standing& standing_of(std::uint64_t owner) const {
    return order_.standing_of(owner);
  }
  /// With how often the owner made room, and for whom.
  [[nodiscard]] allocation_view view_of(std::uint64_t owner) const;

  // -- Requests.

  /// The reason why such a request could never be granted by the nodes known now; empty if it
  /// could.
  /// @param owner Who has these demands of nodes; 0: nobody.
  [[nodiscard]] std::optional<error> impossible(const resource_request& what,
                                                const node_labels& labels, std::uint64_t owner = 0);

  struct reception {
    /// The reason why no node known now could ever grant it; empty if one could.
    std::optional<error> why = {};
    /// The request does not wait.
    bool is_refused = false;
    /// It is the first one of its owner.
    bool is_first = false;
  };
  /// Enters a request, in place of an earlier one of its trial.
  reception enter(const lease_wish& what);
  void withdraw(std::uint64_t owner, trial_id trial);
  /// The owner is gone, and with it its requests. @returns its leases.
  std::vector<lease_id> forget(std::uint64_t owner);
  /// No node will bear this label any more: requests that preferred it may go anywhere.
  void drop_label(const std::string& label);

  struct grant {
    std::uint64_t owner = 0;
    trial_id trial;
    lease what;
    /// The node of its first bundle, on which its trainable is launched.
    std::string node;
  };
  /// Grants whatever fits now, in order. Call after each change.
  [[nodiscard]] std::vector<grant> grant_what_fits();

  /// A lease that has to end, and the owner whose request needs the room.
  struct room_maker {
    lease_id which;
    std::uint64_t for_whom = 0;
  };
  /// Chooses leases that have to end so that requests of higher priority fit; each is named once.
  /// As long as one of them is open, nothing is granted to anybody of lower priority than the
  /// request for which it ends. Only owners whose trials can save are named. Call after
  /// `grant_what_fits`.
  [[nodiscard]] std::vector<room_maker> make_room();
  /// A trial of the owner has paused for that. @param for_whom As from `called`.
  void note_room_made(std::uint64_t owner, const std::string& for_whom);
  /// Whether the owner's trials can save, as it turned out: where they cannot, none is named, and
  /// nobody waits for those that were named.
  void note_saving(std::uint64_t owner, bool can_save);

  /// What changed about requests that no node can grant.
  [[nodiscard]] std::vector<unmet_requests::notice> unmet();
  /// Whether some owner was told that requests wait.
  [[nodiscard]] bool has_unmet() const { return unmet_.any(); }

  // -- Leases.

  /// What is known of a lease, or of the allocation of a further rank.
  struct holder {
    std::uint64_t owner = 0;
    trial_id trial;
    resource_request what;
    node_labels labels;
    std::string node;
    /// How often the node had not been ready for this owner when the lease was granted.
    unsigned refusals = 0;
    /// The node was not ready.
    bool is_declined = false;
    /// The attempt that was launched.
    std::optional<attempt_id> attempt = {};
  };
  /// Null if the allocation is not open.
  [[nodiscard]] const holder* find(lease_id which) const;
  void launched(lease_id which, attempt_id attempt);
  /// Enters a lease that the head before this one granted. @param what Of one node, which is set.
  void adopt(const lease& what, std::uint64_t owner, trial_id trial, resource_request request,
             node_labels labels);
  /// Allocates a further rank on this node. @returns its number; empty if the lease is ending.
  [[nodiscard]] std::optional<lease_id> begin_rank(lease_id whole, std::uint32_t rank,
                                                   const std::string& node);

  /// A node is left out for an owner.
  struct pause {
    std::uint64_t owner = 0;
    std::string node;
    readiness::pause rest;
  };
  struct ending {
    /// The lease is free, and something may be granted.
    bool is_free = false;
    /// The rest of a pause that is cut short: see `readiness::was_ready`.
    std::optional<pause> rest = {};
  };
  /// Nothing of the allocation runs any more.
  ending over(lease_id which);
  /// The node of the allocation was lost. @returns other allocations, which are no longer wanted.
  std::vector<lease_id> lose(lease_id which);

  struct refusal {
    pause what;
    /// Only nodes that are never ready for it could grant such a request.
    bool is_hopeless = false;
  };
  /// The node was not ready for the allocation. The node is held for its owner.
  /// @param is_passing As in `readiness::refused`.
  /// @returns empty if that tells nothing new.
  std::optional<refusal> decline(lease_id which, bool is_passing);
  /// Whether the pause that began with refusal number `times` is the present one.
  [[nodiscard]] bool ends(std::uint64_t owner, const std::string& node, unsigned times) const;
  void unhold(const std::string& node, std::uint64_t owner);

  // -- What is there.

  /// The trials to which these leases belong, by owner. A trial of several ranks counts once.
  [[nodiscard]] std::map<std::uint64_t, std::set<trial_id>>
  trials_of(const std::vector<lease_id>& which) const;
  /// The labels that one trial of each owner asks for: all trials of an owner have the same
  /// trainable.
  [[nodiscard]] std::map<std::uint64_t, node_labels> labels_by_owner() const;
  /// Whether a bundle of some lease is on the node.
  [[nodiscard]] bool is_used(const std::string& node) const { return uses_.contains(node); }
  /// Of the demands that experiments have of nodes, those that this one meets, and its own labels;
  /// nothing if it does not grant.
  [[nodiscard]] node_labels labels_of(const std::string& node) const;
  /// The requests that wait for nothing but room, equal ones together: no queue or quota holds them
  /// back. Of experiments that stand aside, those of as many for each kind of request as could be
  /// served beside the others.
  [[nodiscard]] std::vector<pending_request> pending() const;
  /// Capacity of all nodes together, and the granted part of it.
  [[nodiscard]] resources total() const { return books_.total(); }
  [[nodiscard]] resources used() const { return books_.used(); }
  [[nodiscard]] resources held_on_removed(const std::string& node) const {
    return books_.held_on_removed(node);
  }

private:
  /// Has no waiting requests: `order_` says which one is tried next.
  ledger books_;
  allocation_order order_;
  served_nodes nodes_;
  waiting_requests waiting_;
  std::map<lease_id, holder> leases_;
  lease_parts parts_;
  /// The nodes of each lease that is not free yet.
  std::map<lease_id, std::set<std::string>> places_;
  /// Number of such leases by node.
  std::map<std::string, std::uint64_t> uses_;
  readiness ready_;
  unmet_requests unmet_;
  /// Owners that have asked for something.
  std::set<std::uint64_t> owners_;
  /// The last request found possible with these nodes: most trials ask for the same.
  std::optional<std::pair<resource_request, node_labels>> possible_;
  /// Shapes that were found not to fit anywhere since something became free.
  std::set<allocation_order::shape> misfits_;
  /// Leases that make room, with the priority of the request that needs it.
  std::map<lease_id, std::int32_t> making_room_;
  struct room_made {
    std::uint64_t times = 0;
    /// For whom last, as text.
    std::string for_whom = {};
  };
  /// How often trials of the owner have paused for that.
  std::map<std::uint64_t, room_made> made_room_;
  /// Owners whose trials turned out not to be able to save.
  std::set<std::uint64_t> unsaving_;
  /// A node has come, gone or changed since it was last seen which requests none can ever grant.
  bool nodes_changed_ = false;
  bool expects_nodes_ = false;

  [[nodiscard]] room_on_nodes room_for(const resource_request& what, const node_labels& labels,
                                       std::uint64_t owner) const;
  [[nodiscard]] node_labels labels_of(const lease_wish& what);
  void learn(const node_labels& asked, std::uint64_t owner);
  void renew(const std::string& node);
  void wake();
  void line_up(std::uint64_t token, std::uint64_t owner, allocation_order::shape what);
  [[nodiscard]] bool is_unmet(std::uint64_t owner, const allocation_order::shape& what) const;
  void note_unmet();
  [[nodiscard]] std::optional<lease> try_to_grant(const allocation_order::candidate& what);
  [[nodiscard]] std::vector<endable_lease> endable_below(std::int32_t priority) const;
  void note_floor();
  [[nodiscard]] bool is_hopeless(const holder& whose) const;
  void note_places(const lease& what);
  bool release(lease_id whole);
};

} // namespace tune
