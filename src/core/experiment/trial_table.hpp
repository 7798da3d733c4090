/// All trials of a run: those that have ended, and those that have not.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "census.hpp"
#include "live_trial.hpp"

#include "tune/core/ids.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <vector>

namespace tune {

/// A trial's permanent entry in the table.
struct trial_entry {
  standing stands;
  /// Null once the trial has ended.
  std::unique_ptr<live_trial> live;

  // For a trial that has ended, in case it is to run again.
  lineage_id lineage = 1;
  std::uint64_t high_water = 0;
  std::optional<merit> best_merit = {};
  /// Checkpoint that it would go on from.
  checkpoint_id newest = {};
  /// Its checkpoints up to this one are of lineages that a client gave up: it goes on from none.
  checkpoint_id last_given_up = {};
};

/// The trials by number, which are given from 0 without gaps. A trial is live until it ends; it may
/// be revived. Finding a trial takes constant time, the end of one O(log n) of those that live.
class trial_table {
public:
  /// Adds a trial, which is live and has the number `next()`. @returns it, with its id alone.
  live_trial& add();
  /// Makes a trial that has ended live again. @returns it, with its id alone.
  live_trial& revive(trial_id trial);
  /// Forgets all of a live trial but its entry.
  void end(trial_id trial);

  /// @pre The trial was added.
  [[nodiscard]] trial_entry& operator[](trial_id x) { return entries_[x.number]; }
  [[nodiscard]] const trial_entry& operator[](trial_id x) const { return entries_[x.number]; }
  [[nodiscard]] bool knows(trial_id x) const { return x.number < entries_.size(); }
  /// Null if the trial has ended, or was never added.
  [[nodiscard]] live_trial* live(trial_id x) const {
    return knows(x) ? entries_[x.number].live.get() : nullptr;
  }

  [[nodiscard]] trial_id next() const { return trial_id{entries_.size()}; }
  [[nodiscard]] const std::vector<trial_entry>& all() const { return entries_; }
  /// Those that have not ended.
  [[nodiscard]] const std::set<trial_id>& live() const { return live_; }
  /// A copy of `live`, to walk over while trials end.
  [[nodiscard]] std::vector<trial_id> live_now() const { return {live_.begin(), live_.end()}; }

private:
  std::vector<trial_entry> entries_;
  std::set<trial_id> live_;
};

} // namespace tune
