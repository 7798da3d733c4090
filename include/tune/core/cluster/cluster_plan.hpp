/// The rules of a head about its nodes: who is a member, what is granted, and who hears of it.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/cluster/absent_nodes.hpp"
#include "tune/core/cluster/awaited_attempts.hpp"
#include "tune/core/cluster/cluster_commands.hpp"
#include "tune/core/cluster/known_nodes.hpp"
#include "tune/core/cluster/lease_book.hpp"
#include "tune/core/cluster/loss_notices.hpp"
#include "tune/core/cluster/membership.hpp"
#include "tune/core/cluster/scaling_demand.hpp"
#include "tune/core/liveness/flap_book.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace tune {

/// The rules of a head about its nodes, as a value: events in, commands out. It has no clock and no
/// connection. The counterpart of `node_plan`, which holds the rules of a node.
///
/// Its promises are those of its parts: nothing is overcommitted (`ledger`), an attempt is launched
/// once (`membership`), and a lease is free once nothing of it runs (`lease_parts`). It adds that
/// **a node which is away, rests or leaves gets no further trials**.
class cluster_plan {
public:
  /// @param first_lease As in `ledger`: a head that takes the place of another goes on behind it.
  /// @param limits Of what experiments are granted.
  explicit cluster_plan(std::uint64_t first_lease = 1, allocation_limits limits = {})
      : book_{first_lease, std::move(limits)} {}

  // -- Nodes.

  /// A node arrives, or is back.
  /// @param now Time since any fixed moment, here and below.
  [[nodiscard]] cluster_commands arrive(const node_arrival& who, node_profile what, instant now);
  /// The head's own node changes its offer. @param node A member.
  [[nodiscard]] cluster_commands change(const std::string& node, node_profile what);
  /// The connection to a node is lost. It may run on, and come back before it counts as lost.
  [[nodiscard]] cluster_commands cut_off(const std::string& node, const std::string& why,
                                         instant now);
  /// Nothing was heard of the node of this session for too long.
  [[nodiscard]] cluster_commands silent(std::uint64_t session, const std::string& why, instant now);
  /// The node ended by itself.
  [[nodiscard]] cluster_commands lost(const std::string& node, const std::string& why);
  /// The node gets no more trials; it stays in the books for those that run there.
  [[nodiscard]] cluster_commands leave(const std::string& node);
  /// A node that was lost too often has rested. @param session As in the command.
  [[nodiscard]] cluster_commands end_rest(const std::string& node, std::uint64_t session);
  /// The head ends: all nodes go.
  [[nodiscard]] cluster_commands dissolve();

  /// Nodes that are away hear of it when they are back.
  [[nodiscard]] cluster_commands end_job(const std::string& job);
  [[nodiscard]] cluster_commands drop_pause(const std::string& node, const pause_in_memory& what);

  // -- Experiments.

  /// The owner hears of nodes from now on.
  [[nodiscard]] cluster_commands enrol(std::uint64_t owner);
  /// Tells where the owner stands among the others; before its first request.
  [[nodiscard]] cluster_commands stand(std::uint64_t owner, owner_standing what,
                                       queue_claim claim = {});
  /// Experiments of the head before this one come back; until `open_queue` nobody takes the place
  /// of one that is not here yet.
  void close_queue() { book_.close_queue(); }
  [[nodiscard]] cluster_commands open_queue();
  [[nodiscard]] allocation_view view_of(std::uint64_t owner) const { return book_.view_of(owner); }
  /// Why no request like that could ever be granted by the nodes known now; empty if one could.
  [[nodiscard]] std::optional<error> impossible(const resource_request& what,
                                                const node_labels& labels) {
    return book_.impossible(what, labels);
  }
  [[nodiscard]] cluster_status status() const;
  /// Tells the people of all owners that hear of nodes.
  [[nodiscard]] cluster_commands tell_all(const std::string& text) const;
  [[nodiscard]] cluster_commands enter(const lease_wish& what);
  void withdraw(std::uint64_t owner, trial_id trial) { book_.withdraw(owner, trial); }
  /// The owner is gone: its requests are withdrawn, and its leases are no longer wanted.
  [[nodiscard]] cluster_commands forget(std::uint64_t owner);
  /// Tells owners of requests that no node can grant, where something has changed.
  [[nodiscard]] cluster_commands look_for_unmet();

  /// See `lease_book`. The people of the owner are told of it.
  [[nodiscard]] cluster_commands note_room_made(std::uint64_t owner, const std::string& for_whom);
  /// See `lease_book`.
  [[nodiscard]] cluster_commands note_saving(std::uint64_t owner, bool can_save);

  // -- Leases.

  /// Allocates a further rank of an attempt that is under way.
  /// @returns the number of its allocation; empty if the attempt is over or the node is gone.
  [[nodiscard]] std::optional<lease_id> begin_rank(lease_id whole, std::uint32_t rank,
                                                   const std::string& node);
  /// An attempt is to be launched. @returns nothing if its node was lost meanwhile: its owner hears
  /// of that.
  [[nodiscard]] cluster_commands launch(lease_id which, attempt_id attempt);
  /// Nothing of the allocation runs any more.
  [[nodiscard]] cluster_commands over(lease_id which);
  /// The node was not ready for the allocation. That is no fault of its trial, and a reason not to
  /// give such a node the next trial at once.
  /// @param why Text for people; names neither the node nor the trial.
  [[nodiscard]] cluster_commands decline(lease_id which, const std::string& why, bool is_passing);
  /// @param times As in the command.
  [[nodiscard]] cluster_commands end_hold(std::uint64_t owner, const std::string& node,
                                          unsigned times);

  // -- Attempts of the head before this one.

  /// Counts on this attempt once its node is back. It ends if nodes have been let in before: its
  /// own may have come and been told that nothing of it counts.
  [[nodiscard]] cluster_commands await(awaited_attempt what);
  /// The owner's record calls these nodes there: those that do not come back to this head in time
  /// are lost. Call it behind `enrol`, and behind `await` for all attempts of the owner.
  [[nodiscard]] cluster_commands knew(std::uint64_t owner, const std::vector<std::string>& nodes);
  /// Nodes are let in from now on: `end_wait` follows after `most`, if anything is awaited.
  [[nodiscard]] cluster_commands begin_wait(instant most);
  /// Nodes that did not come back are lost; their attempts end, through no fault of their trials.
  [[nodiscard]] cluster_commands end_wait();
  [[nodiscard]] const awaited_attempts& awaited() const { return awaited_; }

  // -- Growing and shrinking: see `scaling`.

  [[nodiscard]] cluster_need need() const;
  /// Nothing is placed on these workers any more. @returns those where nothing runs, which are now
  /// held; the others stay as they are.
  [[nodiscard]] std::vector<std::string> hold_workers(const std::vector<std::string>& nodes);
  /// They get trials again.
  [[nodiscard]] cluster_commands release_workers(const std::vector<std::string>& nodes);

  // -- What is there.

  [[nodiscard]] const lease_book& leases() const { return book_; }
  [[nodiscard]] const known_nodes& nodes() const { return nodes_; }
  /// The node of an allocation; empty if the allocation is not open.
  [[nodiscard]] std::optional<std::string> node_of(lease_id which) const {
    return members_.node_of(which);
  }
  /// Whether the head ends, and takes no more nodes.
  [[nodiscard]] bool is_dissolved() const { return is_dissolved_; }

private:
  known_nodes nodes_;
  membership members_;
  lease_book book_;
  awaited_attempts awaited_;
  absent_nodes absent_;
  flap_book flaps_;
  /// Lost workers, with the owners whose trials were there.
  loss_notices notices_;
  /// Workers that are free to go.
  std::set<std::string> held_;
  /// What the worker offered that came last.
  std::optional<resources> newest_;
  /// Owners that hear of nodes.
  std::set<std::uint64_t> hearers_;
  /// `look_after` was given.
  bool looks_soon_ = false;
  bool is_dissolved_ = false;
  /// `begin_wait` was called.
  bool lets_nodes_in_ = false;
  /// Nodes are let in, and all had their time to come back.
  bool waited_ = false;
  /// `all_gone` is owed.
  bool awaits_end_ = false;

  void join(const node_arrival& who, node_profile what, instant now, cluster_commands& out);
  void adopt(awaited_attempt what);
  void take_over(const node_arrival& who, awaited_attempts::claims what, cluster_commands& out);
  void lose_absent(const std::map<std::uint64_t, std::size_t>& ended, cluster_commands& out);
  void end(const awaited_attempt& what, const std::string& why, cluster_commands& out) const;
  void take_back(const node_arrival& who, node_profile what, const membership::arrival& came,
                 cluster_commands& out);
  void repeat(const std::string& node, const membership::arrival& came, cluster_commands& out);
  void replace(const node_arrival& who, cluster_commands& out);
  void rest(const node_arrival& who, instant left, instant now, cluster_commands& out);
  void serve(const std::string& node, const node_profile& what);
  void begin(const std::string& node, cluster_commands& out);
  void part(const std::string& node);
  void break_off(const std::string& node, std::string why, instant now, cluster_commands& out);
  void lose(const on::node_down& what, cluster_commands& out);
  void settle(cluster_commands& out);

  /// What experiments hear of a node that offers this.
  [[nodiscard]] static on::node_up offer_of(const std::string& node, const node_profile& what);
  void announce(const event_body& what, cluster_commands& out) const;
  bool tell(std::uint64_t owner, const std::string& text, cluster_commands& out) const;
  void tell_of_lack(const std::string& node, std::uint64_t owner, const node_labels& asked,
                    cluster_commands& out) const;
  void tell_of_loss(const std::string& node, const std::string& why, cluster_commands& out);
  void tell_of_return(const std::string& node, cluster_commands& out);

  void grant(cluster_commands& out);
  void make_room(cluster_commands& out);
  void free(lease_id which, cluster_commands& out);
  void revoke(lease_id which, cluster_commands& out);
  void plan_look(cluster_commands& out);
  void tell_of_fewer(cluster_commands& out);
  void tell_of_unmet(cluster_commands& out);
};

} // namespace tune
