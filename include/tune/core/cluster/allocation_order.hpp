/// Whose request is served next where several experiments share the nodes of a head.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/cluster/allocation_terms.hpp"
#include "tune/core/cluster/queue_claim.hpp"
#include "tune/core/ids.hpp"
#include "tune/core/resource/placement.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace tune {

/// The rule by which room is dealt out, as a value: requests, grants and what becomes free in, the
/// request to try next out.
///
/// A higher priority goes first. Of equal priority the user is served who holds the smallest part
/// of the cluster (`dominant_share`), and of that user the experiment that holds the smallest part
/// in relation to its `share`; where that is equal, whoever has fewer leases, and then whoever has
/// waited longest. The requests of an experiment go by arrival: a later one never overtakes an
/// earlier one of the same shape, but may overtake one of another shape that cannot be placed now.
///
/// It promises: no user is granted more than the quota allows; at most `max_experiments` of those
/// that entered are served at once, the others wait by priority and then by arrival, behind those
/// that the head before this one served; one that holds nothing and whose requests are all unmet
/// stands aside, so that it keeps no place from others; and no request goes untried once `wake` was
/// called after something became free, unless one that goes first was granted, or a quota, that
/// queue or `serve_only_from` holds it back.
///
/// Entering, withdrawing and granting cost O(log n) of n requests, `wake` O(m log m) of m shapes.
class allocation_order {
public:
  explicit allocation_order(allocation_limits limits = {}) : limits_{std::move(limits)} {}

  /// Capacity of all nodes together.
  void set_total(const resources& what);

  // -- Owners.

  /// Tells the standing of an owner. Whoever asks for something without that counts as an
  /// experiment of an unknown user, and is not queued.
  /// @param claim Counts where it enters for the first time.
  void enter(std::uint64_t owner, owner_standing what, queue_claim claim = {});
  /// From now on nobody is let out of the queue but those who hold something, until `open_queue`:
  /// experiments of the head before this one come back in any order.
  void close_queue() { is_closed_ = limits_.max_experiments > 0; }
  void open_queue();
  /// Attempts of the owner ran when the head before this one died: that one served it.
  void note_ran_before(std::uint64_t owner);
  /// Those who came to be served since the last call, and hold something or wait for it.
  [[nodiscard]] std::vector<std::uint64_t> take_newly_served();
  /// Those who came to stand aside since the last call, or to be in the queue after that, and are
  /// not served now.
  [[nodiscard]] std::vector<std::uint64_t> take_newly_waiting();
  /// The owner is gone, and its requests were withdrawn; leases that it still has count on.
  void leave(std::uint64_t owner);
  /// Nothing below this priority is served; empty: everybody is.
  void serve_only_from(std::optional<std::int32_t> priority) { least_ = priority; }

  // -- Requests.

  struct shape {
    resource_request what;
    node_labels labels;
    friend auto operator<=>(const shape&, const shape&) = default;
  };
  /// @param token    Unique among waiting requests.
  /// @param is_unmet Whether no node could ever grant it, as far as is known now.
  void add(std::uint64_t token, std::uint64_t owner, shape what, bool is_unmet = false);
  /// @returns whether it waited.
  bool remove(std::uint64_t token);

  struct candidate {
    std::uint64_t token = 0;
    std::uint64_t owner = 0;
    /// Valid until the request is granted or removed.
    const shape* what = nullptr;
  };
  /// The request to try next; empty: none may fit before something changes.
  [[nodiscard]] std::optional<candidate> next();
  /// The request does not fit, and so none of its owner like it, until `wake`.
  void set_aside(const candidate& what);
  /// The request was granted.
  void grant(const candidate& what, lease_id as);
  /// Something has changed about the nodes, or became free.
  void wake();

  /// Waiting requests of one owner and one shape.
  struct waiting_line {
    std::uint64_t owner = 0;
    /// Valid as long as one of them waits.
    const shape* what = nullptr;
    std::uint64_t count = 0;
  };
  /// Exactly these lines are of requests that no node could ever grant, until the next call.
  /// Matters to the queue of experiments alone.
  void set_unmet(const std::vector<waiting_line>& which);
  [[nodiscard]] bool has_queue() const { return limits_.max_experiments > 0; }

  // -- Leases.

  /// The owner has this lease since before.
  void adopt(lease_id which, std::uint64_t owner, const resources& what);
  void free(lease_id which);

  // -- What is there.

  /// Why the quota of its user never allows such a request of this owner; empty if it may.
  [[nodiscard]] std::string beyond_quota(std::uint64_t owner, const resource_request& what) const;
  /// Waiting requests that the quotas allow, with the grants to those before them, most of them at
  /// most, of owners that are served and have a priority above `over`: the highest priority first.
  [[nodiscard]] std::vector<candidate> wanted_above(std::int32_t over, std::size_t most) const;
  /// Whether the owner is served, and the quota of its user allows this beside `more`.
  [[nodiscard]] bool allows(std::uint64_t owner, const resource_request& what,
                            const holding& more) const;
  /// The lines of waiting requests, one of each owner and shape.
  [[nodiscard]] std::vector<waiting_line> lines() const;
  /// How many of the line nothing holds back but a lack of room, beside `more` of its user, to
  /// which they are added. Of those who stand aside, all that the quota allows: somebody may get a
  /// node for them.
  [[nodiscard]] std::uint64_t lacking_room(const waiting_line& which, holding& more) const;
  [[nodiscard]] bool stands_aside(std::uint64_t owner) const;
  /// Number of experiments that could be served beside those that are. @pre There is a queue.
  /// Those that ran when the head before this one died may be more than that.
  [[nodiscard]] std::uint64_t places_left() const {
    return limits_.max_experiments - std::min(served_, limits_.max_experiments);
  }
  [[nodiscard]] const owner_standing& standing_of(std::uint64_t owner) const;
  /// The lowest priority of owners who hold something and could make room; empty: there are none
  /// whom anybody else could outrank.
  [[nodiscard]] std::optional<std::int32_t> lowest_that_yields() const;
  /// Without `made_room`, which it does not know.
  [[nodiscard]] allocation_view view_of(std::uint64_t owner) const;
  /// @param open What is there for its request `waiting_of`.
  [[nodiscard]] allocation_view view_of(std::uint64_t owner, const room_on_nodes& open) const;
  /// A request of the owner that waits; null: none does.
  [[nodiscard]] const shape* waiting_of(std::uint64_t owner) const;

private:
  /// By what part of the cluster, number of leases, and since when.
  using need = std::tuple<double, double, std::uint64_t>;
  /// Equal requests of one owner: tokens by arrival.
  using line = std::map<std::uint64_t, std::uint64_t>;
  using line_map = std::map<shape, line>;
  struct party {
    owner_standing standing;
    holding held;
    line_map lines;
    /// Lines whose first request may fit, by its arrival.
    std::map<std::uint64_t, line_map::iterator> hopeful;
    std::uint64_t waiting = 0;
    /// It entered as number so many; 0: it did not.
    std::uint64_t entered = 0;
    /// It goes before those that were not, until it is served.
    bool was_served = false;
    bool is_served = true;
    /// It takes no place, neither of those that are served nor in the queue.
    bool stands_aside = false;
    /// Those of its lines that no node could ever grant.
    std::set<shape> unmet = {};
    /// It left, and is forgotten with its last lease.
    bool is_gone = false;
    /// Its place among the parties of its group, while it is hopeful.
    std::optional<std::pair<need, std::uint64_t>> rank = {};
  };
  /// The hopeful experiments of one user and priority.
  struct group {
    std::set<std::pair<need, std::uint64_t>> parties;
    std::optional<std::tuple<std::int32_t, need, std::string>> rank = {};
  };
  struct user {
    holding held;
    std::map<std::int32_t, group> groups;
    std::uint64_t parties = 0;
  };
  struct waiter {
    std::uint64_t owner = 0;
    std::uint64_t arrival = 0;
    line_map::iterator where;
  };
  struct booking {
    std::uint64_t owner = 0;
    resources what;
  };

  allocation_limits limits_;
  resources total_;
  std::map<std::uint64_t, party> parties_;
  std::map<std::string, user> users_;
  /// Ranks of all groups with hopeful parties: the first one is served next.
  std::set<std::tuple<std::int32_t, need, std::string>> groups_;
  std::map<std::uint64_t, waiter> waiters_;
  std::map<lease_id, booking> leases_;
  /// Number of parties by priority.
  std::map<std::int32_t, std::uint64_t> priorities_;
  /// Whether it was not served before, priority, highest first, number, owner.
  using turn = std::tuple<bool, std::int32_t, std::uint64_t, std::uint64_t>;
  /// Parties that wait to be served.
  std::set<turn> queue_;
  bool is_closed_ = false;
  /// See `take_newly_served`.
  std::vector<std::uint64_t> newly_served_;
  /// See `take_newly_waiting`.
  std::set<std::uint64_t> newly_waiting_;
  std::uint64_t served_ = 0;
  std::uint64_t last_entered_ = 0;
  std::uint64_t next_arrival_ = 1;
  std::optional<std::int32_t> least_;

  party& party_of(std::uint64_t owner);
  [[nodiscard]] static turn turn_of(std::uint64_t owner, const party& x) {
    return {!x.was_served, -x.standing.priority, x.entered, owner};
  }
  void admit();
  void serve(std::uint64_t owner, party& x);
  void settle(std::uint64_t owner, party& x);
  [[nodiscard]] bool keeps_quota(const party& x, const resource_request& what,
                                 const holding& more) const;
  void forget_if_settled(std::uint64_t owner);
  void hope(party& whose, line_map::iterator where);
  void rank(std::uint64_t owner, party& x);
  void rank(const std::string& name, user& whose, std::int32_t priority);
  void rank_all(const std::string& name, user& whose);
  void rank_everything();
  void account(std::uint64_t owner, const resources& what, bool is_back);
  void note_priority(std::int32_t which, bool is_there);
  [[nodiscard]] std::string beyond_quota(const std::string& user,
                                         const resource_request& what) const;
  [[nodiscard]] std::string why_waits(const party& x, const room_on_nodes& open) const;
  [[nodiscard]] std::string why_no_room(const party& x, const resources& asked,
                                        const room_on_nodes& open) const;
  [[nodiscard]] room_on_nodes room_on_all_nodes() const;
};

/// What all bundles of a request take together.
[[nodiscard]] resources sum_of(const resource_request& what);

} // namespace tune
