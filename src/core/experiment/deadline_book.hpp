/// The deadlines of all trials.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/experiment/event.hpp"
#include "tune/core/fingerprint.hpp"
#include "tune/core/ids.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <vector>

namespace tune {

/// Knows what is due next, and what is due for each trial. A trial has at most one deadline of each
/// kind. Each call costs O(log n) of the deadlines, `due` the number of its results.
class deadline_book {
public:
  using kind = on::ticked::due;

  /// Sets the trial's deadline of this kind in place of the one that it has, if any.
  /// @param what One of the kinds that concern a trial, up to `draft`.
  void set(trial_id trial, kind what, instant when);
  void clear(trial_id trial, kind what);
  /// Clears all deadlines of the trial.
  void clear(trial_id trial);
  /// Removes the trial's deadline if it is over.
  /// @returns whether it was.
  [[nodiscard]] bool take_due(trial_id trial, kind what, instant now);

  [[nodiscard]] std::optional<instant> of(trial_id trial, kind what) const;
  [[nodiscard]] bool has(trial_id trial, kind what) const { return of(trial, what).has_value(); }
  /// Number of trials with a deadline of this kind.
  [[nodiscard]] std::uint64_t count(kind what) const { return counts_[index(what)]; }
  /// The earliest deadline; empty: there is none.
  [[nodiscard]] std::optional<instant> next() const;
  /// All deadlines up to `now`, the earliest first.
  [[nodiscard]] std::vector<on::ticked> due(instant now) const;

  /// The trial's deadlines.
  void describe(fingerprint& into, trial_id trial) const;

private:
  static constexpr std::size_t kinds = static_cast<std::size_t>(kind::draft) + 1;
  static constexpr std::size_t index(kind what) { return static_cast<std::size_t>(what); }
  using of_one_trial = std::array<std::optional<instant>, kinds>;

  /// Forgets the deadline in `slot`, which is that of the trial and kind.
  void drop(std::optional<instant>& slot, trial_id trial, kind what);

  std::set<std::tuple<instant, trial_id, kind>> in_order_;
  /// Trials without any deadline are missing.
  std::map<trial_id, of_one_trial> by_trial_;
  std::array<std::uint64_t, kinds> counts_{};
};

} // namespace tune
