/// The running means of all trials, compared at equal times.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/fingerprint.hpp"
#include "tune/core/schedule/ranked.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace tune::median {

/// Running means of the other trials at a time.
struct others {
  /// Number of finite running means.
  std::size_t count = 0;
  /// Median of these means; 0 if there are none.
  double median = 0;
};

/// Keeps the results of all trials, ended ones too.
///
/// A trial's running mean at t is the mean of its scores with grace <= time <= t; rounding never
/// takes it beyond the least and the greatest of them. It counts at t if the trial's latest result
/// is at or after t.
///
/// If trials report at the same times (iterations), the means at such a time are kept in order: a
/// *column*, which a trial joins when it reaches or passes that time. Then a result costs O(log n)
/// of n trials, times the columns it passes, mostly one. A column is begun when a trial asks about
/// a time at which most of the others that reached it have a result too; until then, and always if
/// times are real numbers that no two trials share, the means are looked up trial by trial: O(n log
/// r) of n trials that have reached that time with r results each. A new column costs as much, once
/// per time.
///
/// Memory: 24 bytes per result, and 8 to 16 for its place in a column.
class averages {
public:
  /// @param grace Results before it count only for `best`.
  explicit averages(double grace) : grace_{grace} {}

  /// Adds a result. @param time Not NaN; may be less than before, if a trial began again.
  void add(trial_id trial, double time, double score);

  /// The running means at `time` of all but `trial`, whose latest result is at `time`.
  [[nodiscard]] others at(trial_id trial, double time);

  /// The greatest score of all the trial's results; empty while all are NaN.
  [[nodiscard]] std::optional<double> best(trial_id trial) const;

  /// Adds all state to `into`.
  void describe(fingerprint& into) const;
  /// Number of trials with results.
  [[nodiscard]] std::size_t size() const;

private:
  struct point {
    double time;
    double score;
    /// Mean of all scores up to this one.
    double mean;
  };
  struct course {
    /// Ascending in time; only points from the grace period on.
    std::vector<point> points;
    std::optional<double> best;
    double sum = 0;
    double least = 0;
    double most = 0;

    void append(double time, double score);
    void insert(double time, double score);
    /// The last point at or before `time`; null if there is none.
    [[nodiscard]] const point* up_to(double time) const;
    /// Empty unless the mean is finite.
    [[nodiscard]] std::optional<double> mean_at(double time) const;
  };
  using column = ranked<double>;

  double grace_;
  /// Courses by the trial's number.
  std::vector<course> courses_;
  /// Times of the latest results; -infinity without results. Stored separately, since every query
  /// scans all of them.
  std::vector<double> latest_;
  std::map<double, column> columns_;

  others look_up(trial_id trial, double time);
};

} // namespace tune::median
