/// The order of trials for FIFO and for schedulers that only judge.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/fingerprint.hpp"
#include "tune/core/schedule/scheduler.hpp"

#include <cstdint>
#include <map>
#include <string_view>
#include <vector>

namespace tune {

/// Pending trials in the order in which they were added, then paused ones in the same order.
///
/// A trial that comes back goes to the end, unless it is told to keep its place; a paused trial
/// keeps its place. A trial leaves the queue when a choice of it is recorded. A refused choice
/// leaves a pending trial where it is; a paused one is not named again until something happens to
/// it.
///
/// Each fact costs O(log n) of n trials that have not ended; nothing is kept of ended ones.
class fifo_queue {
public:
  /// Takes a fact into account; facts that do not touch the order are ignored.
  void apply(const scheduler_fact& what);

  /// The first `count` trials to run, or all if there are fewer. O(count).
  [[nodiscard]] choice first(sequence at, std::uint32_t count) const;

  /// Ends all paused trials as "not promoted": the answer to a stall of a scheduler that has no
  /// other use for them. Empty if none is paused.
  /// @param rule The scheduler's name, for the reason.
  [[nodiscard]] decision end_paused(sequence at, std::string_view rule) const;

  /// Adds all state to `into`.
  void describe(fingerprint& into) const;

private:
  enum class place : std::uint8_t { pending, paused, refused, away };
  struct entry {
    std::uint64_t position = 0;
    place where = place::pending;
  };
  using line = std::map<std::uint64_t, trial_id>;

  std::map<trial_id, entry> entries_;
  /// Trials by position.
  line pending_;
  line paused_;
  line refused_;
  std::uint64_t next_position_ = 1;

  line* line_of(place where);
  entry& known(trial_id trial);
  void move(trial_id trial, place to);
  void add(const fact::added& what);
  void allow_on(trial_id trial);
  void leave(const fact::chosen& what);
  void forget(trial_id trial);
};

} // namespace tune
