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

/// Leaves judging and the order to another scheduler, the base, and changes trials' resources.
///
/// On each result with which the base lets a trial go on, the allocation says what the trial is to
/// have. If that is not what it has, the trial pauses, is given it, and runs again before all
/// others. The base hears all facts; of its verdict, that it was taken. A trial whose pause fails
/// goes on with what it has, and is not told to pause for the same again.
///
/// A trial that waits to run, and asks for more than any node could grant since a node went, is not
/// chosen before it was given less: with the next verdict on whichever trial, or when all stands
/// still. One whose first request no node could grant is the base's business.
///
/// Nothing is changed before a node is known. With several nodes their sum counts: what no single
/// node could grant is cut, but a trial may wait for a node that is free enough.
///
/// A change's reason says `rule`, `had`, `gets`, `live` (trials that share what there is) and
/// `why`.
///
/// Judging costs what the base and the allocation cost, and O(log n) of n trials.
///
/// @source Ray Tune's ResourceChangingScheduler.
class resource_changing_scheduler final : public scheduler {
public:
  /// @param base must not be null.
  /// @param how  must not be empty.
  /// @param request What each trial needs at first; without bundles it counts as one empty bundle.
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
  /// What only this rule knows of a trial.
  struct course {
    /// It was told to pause since it last began to run.
    bool is_told = false;
    /// What it did not succeed to pause for.
    request_ptr in_vain;
  };

  std::unique_ptr<scheduler> base_;
  allocation how_;
  request_ptr first_;
  /// What nodes offer, in all, and in books that grant nothing.
  std::map<std::string, resources> offers_;
  resources total_;
  ledger nodes_;

  std::map<trial_id, member> live_;
  std::map<trial_id, course> courses_;
  std::set<standing> ranking_;
  /// Counted of all trials.
  resources used_;
  /// Paused for other resources, to be run before all others; and those of them that could not be
  /// started.
  std::set<trial_id> returning_;
  std::set<trial_id> left_;
  /// They do not run and want other resources than at first; of them, those that no node could
  /// grant.
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

/// @param bases What may judge in it: a copy is kept.
[[nodiscard]] scheduler_catalogue::entry make_entry(const scheduler_catalogue& bases);

} // namespace tune::resource_changing
