/// What experiments at one head have to keep to, and what they are told of it.
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

/// What an experiment says of itself to those who share nodes with it.
struct owner_standing {
  /// Range of `priority`.
  static constexpr std::int32_t most_priority = 1'000;
  /// Range of `share`.
  static constexpr double least_share = 0.001;
  static constexpr double most_share = 1'000;

  /// The experiment's name, for people.
  std::string name = {};
  /// Who submitted it; empty: unknown.
  std::string user = {};
  /// The higher ones are served first. [-most_priority .. most_priority]
  std::int32_t priority = 0;
  /// Weight among the experiments of its user that have its priority. [least_share .. most_share]
  double share = 1;
  /// Whether its trials can save, and so make room for others without a loss.
  bool can_make_room = false;
  friend bool operator==(const owner_standing&, const owner_standing&) = default;
};

/// Limits of what the experiments of one user hold together. Empty: no limit.
struct user_quota {
  std::optional<amount> cpu = {};
  std::optional<amount> gpu = {};
  /// [bytes]
  std::optional<std::uint64_t> memory = {};
  /// Leases, one for each trial that runs.
  std::optional<std::uint64_t> trials = {};
  friend bool operator==(const user_quota&, const user_quota&) = default;
};

/// The limits of a head.
struct allocation_limits {
  /// By user.
  std::map<std::string, user_quota> quotas = {};
  /// That of each other user; empty: no limit.
  std::optional<user_quota> other_quota = {};
  /// Experiments that are granted something at once; the others wait. 0 = no limit.
  std::uint64_t max_experiments = 0;

  /// Null: none.
  [[nodiscard]] const user_quota* quota_of(const std::string& user) const;
  friend bool operator==(const allocation_limits&, const allocation_limits&) = default;
};

/// What some experiment, or all of a user, holds.
struct holding {
  resources what = {};
  /// Number of leases.
  std::uint64_t leases = 0;
  friend bool operator==(const holding&, const holding&) = default;
};

/// The nodes that meet the demands of some request, together.
struct room_on_nodes {
  std::set<std::string> nodes = {};
  resources total = {};
  /// What each owner holds there.
  std::map<std::uint64_t, resources> held = {};
  bool is_of_all_nodes = true;
  /// Owners whose requests wait for some of these nodes, too.
  std::set<std::uint64_t> rivals = {};
  /// A node that has room for the request but is on hold for its owner; empty: there is none.
  std::string awaited = {};
  /// What no node, or no set of nodes, has room for at once, for people: "no node has 2 CPU free at
  /// once"; empty: there is room for the request, or it is not known.
  std::string scattered = {};
};

/// Resources of all nodes and how much of them is granted. A node that is leaving counts, with what
/// is still granted of it: it has no more to offer.
struct cluster_status {
  resources total = {};
  resources used = {};
  std::size_t nodes = 0;
  /// Names of the nodes among them that are leaving, in order.
  std::vector<std::string> leaving = {};
};

/// Where an experiment stands among the others.
struct allocation_view {
  owner_standing standing = {};
  holding held = {};
  /// What its user holds, and the limits of that.
  holding of_user = {};
  user_quota quota = {};
  /// Requests that wait.
  std::uint64_t waiting = 0;
  /// Its place among the experiments that wait to be served at all, from 1; 0: it is served, or
  /// stands aside.
  std::uint64_t place = 0;
  /// No node can run its trials now, so that it takes no place of those that can be served.
  bool stands_aside = false;
  /// How often a trial of it made room for one of higher priority.
  std::uint64_t made_room = 0;
  /// For whom it did last: "high of bob, priority 5"; empty: for nobody yet.
  std::string made_room_for = {};
  /// Why its requests wait, in words for people; empty: none waits, or it is not known.
  std::string why = {};
};

/// "high of bob, priority 5": an experiment, for those of others.
[[nodiscard]] std::string called(const owner_standing& x);
/// "8 CPU, 1 GPU, 2 GiB memory, 20 trials", of the limits that there are; "nothing" for none.
[[nodiscard]] std::string to_text(const user_quota& x);
/// Whether holdings keep to a quota. @param most Null: they do.
[[nodiscard]] bool keeps_to(const holding& x, const user_quota* most);
/// The first kind of resource for which they do not: "10 of 8 CPU"; empty if they do.
[[nodiscard]] std::string excess_text(const holding& x, const user_quota& most);
/// The largest part of the total that is held of CPU, GPU or memory; of what is not there, nothing
/// counts. [>= 0]
/// @source Ghodsi et al., "Dominant Resource Fairness", NSDI 2011.
[[nodiscard]] double dominant_share(const holding& x, const resources& total);

} // namespace tune
