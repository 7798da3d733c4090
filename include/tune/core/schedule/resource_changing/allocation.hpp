/// How resources are dealt out among the trials of an experiment.
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
  /// What its attempt was granted; null where it does not run.
  request_ptr has;
  /// What it asks for at its next attempt; never null.
  request_ptr wants;
  /// It was told to pause, so as to go on with what it wants.
  bool changes = false;
  /// Its last score; larger is better. None, or NaN: not known.
  std::optional<double> score;

  /// What of it counts as taken.
  [[nodiscard]] const request_ptr& counted() const { return has && !changes ? has : wants; }
};

/// Its place among the trials: known scores first, the best first; then by number.
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

/// What an allocation goes by.
struct situation {
  /// Whose resources are in question; one of `live`.
  trial_id trial;
  /// What each trial began with. [at least one bundle]
  const resource_request& base;
  /// What all nodes offer, and what counts as taken of it by all trials together.
  const resources& total;
  const resources& used;
  const std::map<trial_id, member>& live;
  const std::set<standing>& ranking;
  /// Whether the nodes could ever grant a request.
  const std::function<bool(const resource_request&)>& fits;
};

/// What the trial is to have: what it has now, or something else. What does not fit is not taken.
/// Deterministic given the situation; it is asked at each result, so O(log n) of n trials.
using allocation = std::function<resource_request(const situation&)>;

/// How the allocations shipped deal out.
struct dealing {
  /// What is given and taken at a time; at least one amount above 0. None: with `add_bundles` the
  /// last bundle of what trials began with, else one GPU where that has any, else one CPU.
  std::optional<resources> increase_by;
  /// Most times that one trial is given it. 0: no limit.
  std::uint64_t increase_by_times = 0;
  /// What stays free.
  resources reserve;
  /// Give further bundles, instead of making the only one larger.
  bool add_bundles = false;
};

/// Everybody has alike: a trial takes what is free, up to what it would have if all were dealt out
/// anew in turn, and gives back where too much is taken.
///
/// Free is what all nodes offer, less the reserve and what all trials take, those that wait to run
/// included; it is counted in whole times of `increase_by`. What trials began with stays theirs.
/// @source Ray Tune's DistributeResources; cut to what some node could grant.
[[nodiscard]] allocation distribute(dealing how);

/// The best trial by its last score, of those below `increase_by_times`, takes all that is free;
/// others only give back where too much is taken. Trials without a score rank last.
/// @source Ray Tune's DistributeResourcesToTopJob.
[[nodiscard]] allocation distribute_to_top_job(dealing how);

/// All bundles of a request.
[[nodiscard]] resources sum_of(const resource_request& what);

} // namespace tune::resource_changing
