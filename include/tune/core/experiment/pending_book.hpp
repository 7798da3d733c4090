/// Which of the searcher's configurations have not come to their end, and how many more it may be
/// asked for.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/fingerprint.hpp"
#include "tune/core/ids.hpp"

#include <cstdint>
#include <map>
#include <string>

namespace tune {

/// Counts configurations, each of which may have several runs: trials that the searcher suggests
/// one after the other. A configuration is under way until all its runs have ended.
///
/// Memory is that of the trials that have not ended and of those set aside; each call costs
/// O(log n) of them, `names` a constant number of steps.
class pending_book {
public:
  /// @param runs Trials of each configuration. [>= 1]
  explicit pending_book(std::uint32_t runs) : runs_{runs} {}

  /// The searcher suggested this trial: a run of the last configuration where that lacks some, else
  /// the first run of a new one.
  void add(trial_id trial);
  /// It ended, as far as the searcher knows. Of one that has not been added nothing changes.
  void end(trial_id trial);
  /// It was taken back before it began, and may be wanted again.
  void set_aside(trial_id trial);
  /// It is wanted again. Unless it was set aside, nothing changes.
  void revive(trial_id trial);

  /// How many more trials may be suggested where `most` configurations may be under way.
  /// @param most       0 = no bound: the largest number.
  /// @param in_batches So many from the time at which none was left, and then none until none is.
  [[nodiscard]] std::uint64_t room(std::uint64_t most, bool in_batches) const;

  [[nodiscard]] bool empty() const { return pending_.empty(); }
  /// The trials, for people: the first five, and how many there are beside these.
  [[nodiscard]] std::string names() const;

  void describe(fingerprint& into) const;

private:
  std::uint32_t runs_;
  std::uint64_t added_ = 0;
  /// Trials by the number of their configuration, and how many of each have not ended.
  std::map<trial_id, std::uint64_t> pending_;
  std::map<std::uint64_t, std::uint32_t> open_;
  std::map<trial_id, std::uint64_t> aside_;
  /// Trials since the last time that none was left; runs of one that was half suggested count.
  std::uint64_t in_batch_ = 0;

  void open(trial_id trial, std::uint64_t configuration);
  /// Runs of the last configuration that were not suggested yet. [0, runs - 1]
  [[nodiscard]] std::uint64_t lacking() const { return (runs_ - added_ % runs_) % runs_; }
};

} // namespace tune
