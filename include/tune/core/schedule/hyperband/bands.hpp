/// All brackets of HyperBand, band after band, and who of their trials is to start next.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/schedule/hyperband/bracket.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace tune::hyperband {

/// A trial's place: the number of its bracket among all that were ever opened, and its position
/// there.
struct seat {
  std::uint64_t bracket = 0;
  std::uint64_t position = 0;
};

/// In which order brackets are opened and let go on.
struct band_order {
  /// The bracket that halves most often is opened first; otherwise that which never does.
  bool largest_first = false;
  /// Of a band's brackets that which is least complete goes first; otherwise the first opened.
  bool least_complete_first = true;
};

/// Opens brackets as trials come: each bracket is filled before the next, each band before the
/// next. One that is empty and takes no more is forgotten.
class bands {
public:
  bands(const settings& what, band_order order);

  /// Takes the trial into the newest bracket, or where that is full into a new one.
  seat join(trial_id trial);

  [[nodiscard]] bracket& at(std::uint64_t number) { return brackets_.at(number); }
  [[nodiscard]] const bracket& at(std::uint64_t number) const { return brackets_.at(number); }
  /// Whether trials may still join it.
  [[nodiscard]] bool is_open(std::uint64_t number) const;
  /// Counted from 0.
  [[nodiscard]] std::uint64_t band_of(std::uint64_t number) const;
  /// How the bracket began.
  [[nodiscard]] const bracket_plan& plan_of(std::uint64_t number) const;
  /// Forgets the bracket if nobody is in it nor will be.
  void drop_if_over(std::uint64_t number);

  /// The first bracket, as they were opened, where all trials wait.
  [[nodiscard]] std::optional<std::uint64_t> first_that_waits() const;

  void set_startable(const seat& where, trial_id trial, bool to);
  /// Up to `count` of those that were set: band by band, in a band by its order, in a bracket as
  /// they joined. O(count), and once for each bracket of a band.
  [[nodiscard]] std::vector<trial_id> first(std::uint32_t count) const;

  /// The brackets that hold trials, each with their number and where they train to.
  [[nodiscard]] std::string outline() const;

  /// Adds all state to `into`.
  void describe(fingerprint& into) const;

private:
  using line = std::map<std::uint64_t, trial_id>;
  using open_line = std::map<std::uint64_t, line>::const_iterator;

  settings settings_;
  band_order order_;
  /// In the order in which a band's brackets are opened.
  std::vector<bracket_plan> plans_;
  std::map<std::uint64_t, bracket> brackets_;
  std::uint64_t opened_ = 0;
  /// By bracket and position; no bracket without any.
  std::map<std::uint64_t, line> startable_;

  std::vector<open_line> band_from(open_line begin) const;
};

} // namespace tune::hyperband
