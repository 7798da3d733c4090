/// Distribution of resources among the trials of an experiment.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/ids.hpp"
#include "tune/core/resource/resources.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>

namespace tune::resource_changing {

using request_ptr = std::shared_ptr<const resource_request>;

/// One trial that has not ended.
struct member {
  /// Resources granted to its attempt; null if it does not run.
  request_ptr has;
  /// Request of its next attempt; never null.
  request_ptr wants;
  /// True if it was told to pause, in order to go on with `wants`.
  bool changes = false;
  /// Last score; larger is better. Empty, or NaN: unknown.
  std::optional<double> score;

  /// The request that counts as taken.
  [[nodiscard]] const request_ptr& counted() const { return has && !changes ? has : wants; }
};

/// Sort key of a trial: known scores first, the best first; then by number.
struct standing {
  bool is_known = false;
  double score = 0;
  trial_id trial;

  friend bool operator<(const standing& x, const standing& y) {
    if (x.is_known != y.is_known)
      return x.is_known;
    if (x.score != y.score)
      return x.score > y.score;
    return x.trial < y.trial;
  }
};

/// Input of an allocation.
struct situation {
  /// The trial whose resources are in question; one of `live`.
  trial_id trial;
  /// Initial request of each trial. [at least one bundle]
  const resource_request& base;
  /// Resources offered by all nodes, and the part that counts as taken by all trials together.
  const resources& total;
  const resources& used;
  const std::map<trial_id, member>& live;
  const std::set<standing>& ranking;
  /// Whether the nodes could ever grant a request.
  const std::function<bool(const resource_request&)>& fits;
};

/// The request that the trial is to have: its present one, or another. A request that does not fit
/// is not used. Deterministic given the situation; called at each result, so O(log n) of n trials.
using allocation = std::function<resource_request(const situation&)>;

/// Options of the built-in allocations.
struct dealing {
  /// Amount given or taken at a time; at least one amount above 0. Empty: with `add_bundles` the
  /// last bundle of the initial request, else one GPU if that asks for any, else one CPU.
  std::optional<resources> increase_by;
  /// Most times that one trial is given `increase_by`. 0: no limit.
  std::uint64_t increase_by_times = 0;
  /// Resources to leave free.
  resources reserve;
  /// Give further bundles, instead of enlarging the only one.
  bool add_bundles = false;
};

/// Distributes evenly: a trial takes what is free, up to its share if everything were dealt out
/// anew in turn, and gives back if too much is taken.
///
/// Free is what all nodes offer, less the reserve and the requests of all trials, including waiting
/// ones; it is counted in whole multiples of `increase_by`. Trials never give up their initial
/// request.
/// @source Ray Tune's DistributeResources; limited to what some node could grant.
[[nodiscard]] allocation distribute(dealing how);

/// Favours the best trial: the one with the best last score, among those below `increase_by_times`,
/// takes all that is free; others only give back if too much is taken. Trials without a score rank
/// last.
/// @source Ray Tune's DistributeResourcesToTopJob.
[[nodiscard]] allocation distribute_to_top_job(dealing how);

/// The sum of all bundles of a request.
[[nodiscard]] resources sum_of(const resource_request& what);

} // namespace tune::resource_changing
