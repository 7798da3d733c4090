/// Gives trials more resources, or fewer, while they train.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/resource/ledger.hpp"
#include "tune/core/schedule/resource_changing/allocation.hpp"
#include "tune/core/schedule/scheduler.hpp"

#include <map>
#include <memory>
#include <set>
#include <vector>

namespace tune::resource_changing {

/// Leaves judging and the order to another scheduler, the base, and changes the resources of
/// trials.
///
/// On each result after which the base lets a trial go on, the allocation says what the trial is to
/// have. If that differs from what it has, the trial pauses, is given the new request, and runs
/// again before all others. The base hears all facts; of its verdict it hears that it took effect.
/// A trial whose pause fails goes on with what it has, and is not told to pause for the same
/// request again.
///
/// A waiting trial whose changed request no node could grant since a node was lost is not chosen
/// until its request is reduced: with the next verdict on any trial, or at a stall. A trial whose
/// first request no node could grant is left to the base.
///
/// Nothing is changed before a node is known. With several nodes their sum counts: a request is
/// reduced to what some single node could grant, but a trial may still wait for a node that is free
/// enough.
///
/// A change's reason says `rule`, `had`, `gets`, `live` (the number of trials that share the
/// resources) and `why`.
///
/// Judging costs as much as the base and the allocation, plus O(log n) of n trials.
///
/// @source Ray Tune's ResourceChangingScheduler.
class resource_changing_scheduler final : public scheduler {
public:
  /// @param base    Must not be null.
  /// @param how     Must not be empty.
  /// @param request Initial request of each trial; without bundles it counts as one empty bundle.
  resource_changing_scheduler(std::unique_ptr<scheduler> base, allocation how,
                              resource_request request);

  [[nodiscard]] scheduler_traits traits() const override;
  void apply(const scheduler_fact& what) override;
  [[nodiscard]] decision judge(sequence cause, trial_id trial) const override;
  [[nodiscard]] deferred_decision judge_later(sequence cause, trial_id trial) const override;
  [[nodiscard]] choice choose(sequence at, std::uint32_t count) const override;
  [[nodiscard]] decision on_stall(sequence at) const override;
  [[nodiscard]] std::string outline() const override;
  void describe(fingerprint& into) const override;

private:
  /// State of a trial that only this rule keeps.
  struct course {
    /// True if it was told to pause since it last began to run.
    bool is_told = false;
    /// The request for which it failed to pause.
    request_ptr in_vain;
  };

  std::unique_ptr<scheduler> base_;
  allocation how_;
  request_ptr first_;
  /// Offers of the nodes: each, in total, and in a ledger that grants nothing.
  std::map<std::string, resources> offers_;
  resources total_;
  ledger nodes_;

  std::map<trial_id, member> live_;
  std::map<trial_id, course> courses_;
  std::set<standing> ranking_;
  /// Sum of the counted requests of all trials.
  resources used_;
  /// Trials paused for other resources, which run before all others; and those of them that could
  /// not be started.
  std::set<trial_id> returning_;
  std::set<trial_id> left_;
  /// Trials that do not run and want other resources than at first; and those of them that no node
  /// could grant.
  std::set<trial_id> changed_;
  std::set<trial_id> misfits_;

  template <class Change>
  void alter(trial_id trial, Change change);
  void know(trial_id trial);
  void forget(trial_id trial);
  void sort_in(trial_id trial);
  void note_nodes();
  void see(const fact::added& what);
  void see(const fact::started& what);
  void see(const fact::result& what);
  void see(const fact::paused& what);
  void see(const fact::unpaused& what);
  void see(const fact::chosen& what);
  void see(const fact::ended& what);
  void see(const fact::decided& what);
  void see(const fact::node_up& what);
  void see(const fact::node_down& what);
  template <class Other>
  void see(const Other&) {}
  void settle(const action& what);
  [[nodiscard]] bool fits(const resource_request& what) const { return !nodes_.impossible(what); }
  [[nodiscard]] resource_request allocate(trial_id trial) const;
  [[nodiscard]] std::vector<action> change_of(trial_id trial) const;
  [[nodiscard]] std::vector<action> misfits_shrunk() const;
};

/// @param bases Schedulers that may serve as the base; a copy is kept.
[[nodiscard]] scheduler_catalogue::entry make_entry(const scheduler_catalogue& bases);

} // namespace tune::resource_changing
