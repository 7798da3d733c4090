/// All brackets of HyperBand, band after band, and which of their trials start next.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/schedule/hyperband/bracket.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace tune::hyperband {

/// A trial's place: the number of its bracket among all brackets ever opened, and its position
/// there.
struct seat {
  std::uint64_t bracket = 0;
  std::uint64_t position = 0;
};

/// The order in which brackets are opened and continued.
struct band_order {
  /// The bracket that halves most often is opened first; otherwise the one that never halves.
  bool largest_first = false;
  /// In a band the least complete bracket goes first; otherwise the one opened first.
  bool least_complete_first = true;
};

/// Opens brackets as trials arrive: each bracket is filled before the next, each band before the
/// next. An empty bracket that takes no more trials is forgotten.
class bands {
public:
  bands(const settings& what, band_order order);

  /// Takes the trial into the newest bracket, or into a new one if that is full.
  seat join(trial_id trial);

  [[nodiscard]] bracket& at(std::uint64_t number) { return brackets_.at(number); }
  [[nodiscard]] const bracket& at(std::uint64_t number) const { return brackets_.at(number); }
  /// Whether trials may still join it.
  [[nodiscard]] bool is_open(std::uint64_t number) const;
  /// The band of a bracket, counted from 0.
  [[nodiscard]] std::uint64_t band_of(std::uint64_t number) const;
  /// The plan of the bracket with this number.
  [[nodiscard]] const bracket_plan& plan_of(std::uint64_t number) const;
  /// Forgets the bracket if it is empty and takes no more trials.
  void drop_if_over(std::uint64_t number);

  /// The first bracket, in the order of opening, in which all trials wait.
  [[nodiscard]] std::optional<std::uint64_t> first_that_waits() const;

  void set_startable(const seat& where, trial_id trial, bool to);
  /// Up to `count` of the startable trials: band by band, within a band by its order, within a
  /// bracket in the order of joining. O(count), plus once for each bracket of a band.
  [[nodiscard]] std::vector<trial_id> first(std::uint32_t count) const;

  /// The brackets that hold trials, each with their number and the milestone they train to.
  [[nodiscard]] std::string outline() const;

  /// Adds all state to `into`.
  void describe(fingerprint& into) const;

private:
  using line = std::map<std::uint64_t, trial_id>;
  using open_line = std::map<std::uint64_t, line>::const_iterator;

  settings settings_;
  band_order order_;
  /// In the order in which the brackets of a band are opened.
  std::vector<bracket_plan> plans_;
  std::map<std::uint64_t, bracket> brackets_;
  std::uint64_t opened_ = 0;
  /// Startable trials by bracket and position; no empty entries.
  std::map<std::uint64_t, line> startable_;

  std::vector<open_line> band_from(open_line begin) const;
};

} // namespace tune::hyperband
