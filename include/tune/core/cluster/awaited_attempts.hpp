/// The attempts of a head that died, on nodes that may return to the one that took its place.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/cluster/membership.hpp"
#include "tune/core/ids.hpp"
#include "tune/core/resource/ledger.hpp"

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace tune {

/// An attempt that the head before this one launched, and whose end is not recorded.
struct awaited_attempt {
  /// As in `lease_wish`.
  std::uint64_t owner = 0;
  trial_id trial;
  attempt_id attempt;
  /// All bundles are on one node.
  lease what;
  resource_request request;
  node_labels labels;
  /// The record has something of it, so its launch had arrived.
  bool has_begun = false;

  [[nodiscard]] const std::string& node() const { return what.bundles.front().node; }
};

/// The attempts that are awaited, as a value: from the time at which a head goes on with a record
/// until their nodes are back, or the time for that is over.
///
/// Its promise: **each attempt that was awaited goes on or ends**. A node that returns says what it
/// holds; what it does not hold is over. None is launched again: nobody knows whether the launch
/// that is missing had arrived, and had been taken back since.
class awaited_attempts {
public:
  void add(awaited_attempt what);
  /// The attempt is given up. @returns whether it was awaited.
  bool remove(lease_id which);
  /// The owner is gone.
  void forget(std::uint64_t owner);

  /// What becomes of the attempts of a node that has arrived. None of them is awaited any more.
  struct claims {
    /// They run there, or wait there to be heard.
    std::vector<awaited_attempt> running = {};
    /// They are not: the node began anew, or never knew them, or no longer does.
    std::vector<awaited_attempt> lost = {};
  };
  [[nodiscard]] claims arrived(const node_arrival& who);

  /// The time to wait is over. @returns all that were awaited.
  [[nodiscard]] std::vector<awaited_attempt> give_up();

  /// Names of the nodes that are awaited.
  [[nodiscard]] std::set<std::string> nodes() const;
  [[nodiscard]] bool empty() const { return all_.empty(); }

private:
  std::map<lease_id, awaited_attempt> all_;
};

} // namespace tune
