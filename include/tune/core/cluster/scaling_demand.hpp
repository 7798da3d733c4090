/// How many workers the requests that wait call for.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/resource/placement.hpp"
#include "tune/core/resource/resources.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tune {

/// Equal requests that wait for a lease.
struct pending_request {
  resource_request what;
  std::uint64_t count = 0;
  /// What all its nodes have to meet, as words: see `is_demand`.
  node_labels demands = {};
};

/// A member of the cluster that could be asked for again: a worker, not the head's own node.
struct scaling_worker {
  std::string name;
  resources capacity;
  /// Something runs there, or may: it is out of reach, or was lost too often of late.
  bool is_busy = false;
  /// Its labels, and the demands of those that wait which it meets.
  node_labels labels = {};

  friend bool operator==(const scaling_worker&, const scaling_worker&) = default;
};

/// What there is and what waits, at one moment.
struct cluster_need {
  /// Those that have not said that they leave.
  std::vector<scaling_worker> workers;
  std::vector<pending_request> pending;
  /// What a worker offered that came last; nothing: none came yet.
  std::optional<resources> newest = {};
};

struct pending_bundle {
  resources what;
  std::uint64_t count = 0;
  node_labels demands = {};
  friend bool operator==(const pending_bundle&, const pending_bundle&) = default;
};

/// The bundles of all requests, equal ones together, large ones first. The bundles of a request
/// that must share a node count as one.
[[nodiscard]] std::vector<pending_bundle> bundles_of(const std::vector<pending_request>& all);

/// Workers that are to meet the same demands. None: any worker will do.
struct worker_kind {
  node_labels demands = {};
  std::uint64_t count = 0;
  friend bool operator==(const worker_kind&, const worker_kind&) = default;
};

struct worker_demand {
  /// Workers that are needed beside those that are there.
  std::uint64_t workers = 0;
  /// The same by what they have to meet.
  std::vector<worker_kind> kinds = {};
  /// Bundles for which a worker is too small.
  std::vector<pending_bundle> too_large = {};
};

/// Room that is there.
struct idle_room {
  resources room;
  node_labels labels = {};
  /// It takes what it has the amounts for, whatever its labels.
  bool counts_for_all = false;
};

/// Lays the bundles that wait into idle workers that meet their demands, and what is left into new
/// ones, each of which is to meet the demands of the first bundle that it gets.
///
/// Other labels count for nothing: a bundle for which an idle worker lacks the trainable calls for
/// no further worker, which would be the same. Shares of GPUs are summed as if they could be cut
/// anywhere. Both only delay what is asked for.
///
/// @param of    What a new worker offers; nothing: nobody knows, and one that tells is needed.
/// @param idle  Workers that may take what waits.
/// @param there Number of workers that are there.
/// @param most  Bound of the result.
[[nodiscard]] worker_demand demand_of(const std::vector<pending_request>& pending,
                                      const std::optional<resources>& of,
                                      const std::vector<idle_room>& idle, std::uint64_t there,
                                      std::uint64_t most);

} // namespace tune
