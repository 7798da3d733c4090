/// All checkpoints of a run that are not gone.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "report_marks.hpp"

#include "tune/core/fingerprint.hpp"
#include "tune/core/ids.hpp"
#include "tune/core/trial/retention.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace tune {

/// A registered checkpoint.
struct checkpoint_entry {
  trial_id trial;
  std::uint64_t iteration = 0;
  std::chrono::nanoseconds time_total{0};
  std::string location;
  std::uint64_t bytes = 0;
  report_marks marks;
  bool bad = false;
  /// True if the checkpoint is about to be removed, or is removed already.
  bool doomed = false;
  /// Trials that took the checkpoint over by an exploit and may still need it.
  std::vector<trial_id> borrowers = {};
  /// Node whose memory holds the checkpoint; empty: it is on disk.
  std::string node = {};
  /// Event at which a newer checkpoint of the trial replaced it; 0: it is still the newest.
  sequence until = 0;
};

[[nodiscard]] inline checkpoint_worth worth_of(checkpoint_id id, const checkpoint_entry& x) {
  return {id, !x.bad, x.marks.rank};
}

/// Numbers checkpoints, and knows each until its files are gone.
///
/// A checkpoint on disk counts, with its bytes, for its trial and for the run until it is doomed or
/// taken out; one in memory never does. Each call costs O(log n) of the checkpoints and O(n) of
/// those of the trial.
class checkpoint_book {
public:
  /// The number that the next checkpoint will have.
  [[nodiscard]] checkpoint_id next() const { return {made_ + 1}; }
  /// The highest number given; 0: none.
  [[nodiscard]] checkpoint_id last() const { return {made_}; }
  checkpoint_id make() { return {++made_}; }
  /// A checkpoint has this number, whoever gave it.
  void note_made(checkpoint_id id) { made_ = std::max(made_, id.number); }

  /// Registers a checkpoint on disk.
  void keep(checkpoint_id id, checkpoint_entry what);
  /// Registers a checkpoint in the memory of `what.node`.
  void keep_in_memory(checkpoint_id id, checkpoint_entry what);
  /// A newer checkpoint of the trial has come. @pre The checkpoint is registered.
  void replace(checkpoint_id id, sequence at) { all_.at(id).until = at; }
  /// The checkpoint cannot be restored. @returns false if it is unknown, or was bad already.
  bool note_bad(checkpoint_id id);
  /// The checkpoint is about to be removed: it no longer counts. @pre It is registered.
  void doom(checkpoint_id id);
  /// The checkpoint no longer counts. @pre It is registered, and counts if it is on disk.
  void take_out(checkpoint_id id);
  /// Forgets the checkpoint. @pre It no longer counts.
  void erase(checkpoint_id id) { all_.erase(id); }
  /// Notes that `who` goes on from the checkpoint, besides those borrowers for whom `may_use` is
  /// still true. @pre The checkpoint is registered.
  template <class Predicate>
  void lend(checkpoint_id id, trial_id who, Predicate may_use) {
    auto& borrowers = all_.at(id).borrowers;
    std::erase_if(borrowers, [&](trial_id x) { return x == who || !may_use(x); });
    borrowers.push_back(who);
  }
  /// Notes that an attempt of `trial` begins from another trial's checkpoint.
  void begin_from(trial_id trial, checkpoint_id others);

  /// Null if it is not registered.
  [[nodiscard]] const checkpoint_entry* find(checkpoint_id id) const;
  /// @pre The checkpoint is registered.
  [[nodiscard]] const checkpoint_entry& at(checkpoint_id id) const { return all_.at(id); }
  [[nodiscard]] bool contains(checkpoint_id id) const { return all_.contains(id); }
  [[nodiscard]] const std::map<checkpoint_id, checkpoint_entry>& all() const { return all_; }

  /// The trial's own that count, the oldest first.
  [[nodiscard]] const std::vector<checkpoint_id>& of(trial_id trial) const;
  /// Registered checkpoints of other trials that attempts of the trial began from.
  [[nodiscard]] std::vector<checkpoint_id> origins_of(trial_id trial) const;
  /// Size of those that count. [bytes]
  [[nodiscard]] std::uint64_t bytes() const { return bytes_; }

  /// Checkpoints to remove so that all take at most `limit` bytes.
  struct excess {
    /// The least worth first.
    std::vector<checkpoint_id> which;
    /// Size of those that stay: more than the limit if too many have to. [bytes]
    std::uint64_t left = 0;
  };
  /// @param stays Whether a checkpoint must stay.
  template <class Predicate>
  [[nodiscard]] excess beyond(std::uint64_t limit, Predicate stays) const {
    excess result{{}, bytes_};
    for (auto i = by_worth_.begin(); i != by_worth_.end() && result.left > limit; ++i) {
      const auto& x = at(i->id);
      if (stays(i->id, x))
        continue;
      result.which.push_back(i->id);
      result.left -= x.bytes;
    }
    return result;
  }

  void describe(fingerprint& into) const;

private:
  std::uint64_t made_ = 0;
  /// Doomed ones included.
  std::map<checkpoint_id, checkpoint_entry> all_;
  /// Those that count, per trial, and by worth.
  std::map<trial_id, std::vector<checkpoint_id>> by_trial_;
  std::set<checkpoint_worth> by_worth_;
  std::uint64_t bytes_ = 0;
  /// Some may be gone.
  std::map<trial_id, std::vector<checkpoint_id>> origins_;
};

} // namespace tune
