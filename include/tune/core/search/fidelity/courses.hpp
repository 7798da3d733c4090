/// The courses of trials, and estimates of the final values of unfinished ones.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/search/encoding/encoding.hpp"
#include "tune/core/search/searcher.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <vector>

namespace tune::fidelity {

/// A value, and the budget that it was trained for.
struct sighting {
  std::uint64_t budget = 0;
  double value = 0;
};

/// The budget that a report of this fidelity belongs to: up to 64 the fidelity itself, beyond that
/// the next of 32 evenly spaced numbers between each two powers of two.
[[nodiscard]] std::uint64_t budget_of(std::uint64_t fidelity);

/// Observations of one trial.
struct course {
  cube_point at;
  lineage_id lineage = 0;
  /// Values to be minimised. Entry k is the last one that was reported up to fidelity 2^k; NaN if
  /// there was none beyond 2^(k-1). The last entry is a number, if there is any.
  std::vector<double> levels = {};
  /// The last value reported for each budget. Budgets rise.
  std::vector<sighting> budgets = {};
  /// True if the trial ended by itself: the last entry is its final value.
  bool is_whole = false;
  /// True if the trial failed, diverged, or misses a constraint: it counts as bad as the worst.
  bool is_bad = false;
  /// Spread of its final value, as in `observation`.
  std::optional<run_spread> spread = {};

  /// Empty if it reported no number at this budget.
  [[nodiscard]] std::optional<double> value_at(std::uint64_t budget) const;
  void note(std::uint64_t fidelity, double value);
};

/// Observations of all trials, derived from facts alone. Lost trials leave no trace.
class course_book {
public:
  explicit course_book(std::shared_ptr<const encoding> space) : space_{std::move(space)} {}

  void apply(const searcher_fact& what);

  [[nodiscard]] const std::map<trial_id, course>& courses() const { return courses_; }

private:
  std::shared_ptr<const encoding> space_;
  std::map<trial_id, course> courses_;

  void take(const observation& what);
};

/// Estimated final value of a trial, with the variance of the error.
struct outcome_estimate {
  cube_point at;
  double value = 0;
  double variance = 0;
  bool is_bad = false;
  trial_id trial = {};
  /// True if the value is the trial's own final one, not extrapolated.
  bool is_whole = false;
};

/// Extrapolates each course to the highest level that any has reached, by links from level to
/// level.
///
/// A link is a ridge regression of the change on the configuration (each number u as u - ½ and (u -
/// ½)², each category by itself) and on the value reached so far, learnt from the trials that went
/// on. A step is limited to [-|y|, |y|/5]; the variances of leave-one-out errors add up. A link
/// that no trial went adds nothing. The uncertainty of values made of fewer runs is added
/// (`excess_noise`). O(trials · features²).
/// @returns trials with a value and bad ones, by trial. Bad ones have no value.
[[nodiscard]] std::vector<outcome_estimate> extrapolated(const encoding& space,
                                                         const std::map<trial_id, course>& courses);

} // namespace tune::fidelity
