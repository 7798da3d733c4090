/// The rungs of one bracket and the results recorded at each.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/fingerprint.hpp"
#include "tune/core/schedule/asha/fronts.hpp"
#include "tune/core/schedule/running_quantile.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace tune::asha {

/// The milestones grace · eta^(k + bracket) for k = 0, 1, … up to and including `max_t`, ascending.
/// Products that are whole numbers up to rounding errors are made whole.
///
/// @param most Largest number of milestones returned.
[[nodiscard]] std::vector<double> milestones(double grace, double eta, double max_t,
                                             std::uint32_t bracket, std::size_t most);

/// Standing of a trial with several scores among those at a rung, itself included.
struct front_standing {
  /// Number of fronts that are better than its own.
  std::uint32_t front = 0;
  /// 1 is the best.
  std::uint64_t rank = 0;
  /// Number of trials that go on: ⌈all / eta⌉.
  std::uint64_t most = 0;
  /// True if the trial is one of them.
  bool goes_on = true;
};

/// The state of a rung as a trial found it.
struct rung_visit {
  double milestone = 0;
  /// The trial's first score.
  double score = 0;
  /// Quantile of the scores recorded before; empty at an empty rung, or with several scores.
  std::optional<double> cutoff;
  /// Number of trials recorded before.
  std::uint64_t recorded = 0;
  /// Set with several scores, none of them NaN.
  std::optional<front_standing> stands;

  /// True if strictly below the cutoff, or not among the best fronts. Never with a NaN.
  [[nodiscard]] bool is_below() const {
    return stands ? !stands->goes_on : cutoff && score < *cutoff;
  }
};

/// One bracket: its rungs in ascending order.
class ladder {
public:
  /// @param marks      Ascending.
  /// @param eta        One visitor in `eta` is at or above the cutoff. [> 1]
  /// @param objectives Number of scores that are compared. [>= 1]
  ladder(const std::vector<double>& marks, double eta, std::uint32_t objectives = 1);

  /// Records the scores at the highest rung at or below `time`, unless the trial has passed it.
  ///
  /// @param scores One for each compared objective.
  /// @param passed Number of rungs the trial has passed, counted from the lowest; updated.
  /// @returns the rung as the trial found it; empty if no new rung was reached.
  std::optional<rung_visit> visit(double time, std::span<const double> scores,
                                  std::uint32_t& passed);

  [[nodiscard]] std::size_t size() const { return rungs_.size(); }

  /// "rung 1: 9, 4: 2": number of trials recorded at each rung.
  [[nodiscard]] std::string outline() const;

  /// Adds all state to `into`.
  void describe(fingerprint& into) const;

private:
  struct rung {
    double milestone;
    /// Used with one score.
    running_quantile scores;
    /// Used with several scores.
    fronts points;
  };
  double eta_;
  std::uint32_t objectives_;
  std::vector<rung> rungs_;

  std::optional<front_standing> rank(fronts& among, std::span<const double> scores) const;
};

} // namespace tune::asha
