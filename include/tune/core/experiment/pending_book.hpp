/// The searcher's configurations that have not ended, and how many more it may be asked for.
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
/// Memory grows with the trials that have not ended and those set aside; each call costs O(log n)
/// of them, `names` constant time.
class pending_book {
public:
  /// @param runs Trials of each configuration. [>= 1]
  explicit pending_book(std::uint32_t runs) : runs_{runs} {}

  /// The searcher suggested this trial: the next run of the last configuration if that lacks runs,
  /// else the first run of a new one.
  void add(trial_id trial);
  /// The trial ended, as far as the searcher knows. No effect for a trial that was not added.
  void end(trial_id trial);
  /// The trial was taken back before it began, and may be wanted again.
  void set_aside(trial_id trial);
  /// The trial is wanted again. No effect unless it was set aside.
  void revive(trial_id trial);

  /// The number of trials that may still be suggested if at most `most` configurations may be
  /// pending.
  /// @param most       0 = no bound: the largest number.
  /// @param in_batches Allow `most` configurations once none is pending, then no more until none is
  ///                   pending again.
  [[nodiscard]] std::uint64_t room(std::uint64_t most, bool in_batches) const;

  [[nodiscard]] bool empty() const { return pending_.empty(); }
  /// The trials, for people: the first five, and the number of the others.
  [[nodiscard]] std::string names() const;

  void describe(fingerprint& into) const;

private:
  std::uint32_t runs_;
  std::uint64_t added_ = 0;
  /// Number of the configuration of each trial that has not ended; below: open trials of each.
  std::map<trial_id, std::uint64_t> pending_;
  std::map<std::uint64_t, std::uint32_t> open_;
  std::map<trial_id, std::uint64_t> aside_;
  /// Trials added since none was last pending; those of a partly suggested configuration count.
  std::uint64_t in_batch_ = 0;

  void open(trial_id trial, std::uint64_t configuration);
  /// Runs of the last configuration that were not yet suggested. [0, runs - 1]
  [[nodiscard]] std::uint64_t lacking() const { return (runs_ - added_ % runs_) % runs_; }
};

} // namespace tune
