/// The head's view of its nodes: who is in, in which session, and what was launched there.
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

/// A node comes in, or comes back.
struct node_arrival {
  std::string node;
  /// The process that it lives in; empty: the head's own.
  std::string worker;
  /// Numbers the connection: a later one is larger. 0: it has none, and is never away.
  std::uint64_t session = 0;
  node_holdings has;
};

/// Who is a member, as a value: the counterpart of `node_plan` at the head.
///
/// Its promise: **an attempt is launched once.** A launch is repeated only for the incarnation of
/// the node that it was meant for, where the node says that it did not arrive. A node that ended
/// everything and began anew, unheard, is another incarnation: what ran there is lost, and is
/// placed again as a new attempt.
class membership {
public:
  enum class reception : std::uint8_t {
    /// It is new, and nothing that it may still have counts.
    joined,
    /// It was away, and goes on where it left off.
    returned,
    /// Another node, or another incarnation of the node, has this name: `lose` that first, then let
    /// it arrive again.
    replaces,
    /// It has come in a later session since.
    stale,
  };

  /// What the head has to do about a node that returned.
  struct arrival {
    reception how = reception::joined;
    /// The head counts on these, and on no others.
    std::vector<lease_id> kept;
    /// Of these, launches that arrived there: to be repeated as they are, since their trials speak
    /// from another place.
    std::vector<lease_id> known;
    /// Of these, launches that did not arrive, in order: to be launched anew with `launched`.
    std::vector<lease_id> missed;
    /// Of these, allocations that nobody wants any more.
    std::vector<lease_id> revoked;
    /// They ended while the node was away.
    std::vector<lease_id> over;
  };
  [[nodiscard]] arrival arrive(const node_arrival& what);

  /// The connection to it is lost; it is not, yet.
  void part(const std::string& node);
  /// It gets nothing more. @returns whether that is news.
  bool leave(const std::string& node);
  /// It is no member any more. @returns its allocations.
  std::vector<lease_id> lose(const std::string& node);

  [[nodiscard]] bool contains(const std::string& node) const { return nodes_.contains(node); }
  [[nodiscard]] bool is_away(const std::string& node) const;
  [[nodiscard]] bool is_leaving(const std::string& node) const;
  /// The session is the node's present one. 0 is nobody's.
  [[nodiscard]] std::optional<std::string> node_of(std::uint64_t session) const;
  [[nodiscard]] std::size_t size() const { return nodes_.size(); }

  // -- Allocations.

  /// The ledger granted this one on the node.
  void granted(lease_id which, const std::string& node);
  /// How a launch is numbered: see `node_plan::order`.
  struct launch_number {
    std::uint64_t turn = 0;
    std::uint64_t session = 0;
  };
  /// It is launched now. @returns nothing where its node was lost meanwhile.
  std::optional<launch_number> launched(lease_id which);
  /// How a launch that is known at the node is repeated.
  [[nodiscard]] launch_number number_of(lease_id which) const;
  /// Nobody wants it any more. @returns its node, if there is one.
  std::optional<std::string> revoke(lease_id which);
  /// Nothing of it runs any more. @returns whether it was open.
  bool over(lease_id which);
  /// The allocations of a node that are not over.
  [[nodiscard]] std::vector<lease_id> open_on(const std::string& node) const;
  /// Its node; nothing: it is not open.
  [[nodiscard]] std::optional<std::string> node_of(lease_id which) const;

private:
  struct member {
    std::string worker;
    std::uint64_t session = 0;
    std::uint64_t incarnation = 0;
    /// Launches on it so far.
    std::uint64_t launches = 0;
    bool is_away = false;
    bool is_leaving = false;
    std::set<lease_id> open = {};
  };
  struct allocation {
    std::string node;
    /// 0: not launched yet.
    std::uint64_t turn = 0;
    bool is_revoked = false;
  };

  std::map<std::string, member> nodes_;
  std::map<lease_id, allocation> allocations_;

  arrival join(const node_arrival& what);
  arrival take_back(member& known, const node_arrival& what) const;
};

} // namespace tune
