/// A metric of each trial over all of its reports: the mean, the least, the most.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/io/store/scan_rows.hpp"
#include "view/trial_table.hpp"

#include <array>
#include <cstdint>
#include <vector>

namespace tune::cli {

/// Joins the reports of each trial as they come, as `joined_metrics` does for the command. NaN does
/// not count.
class joined_metric {
public:
  /// @param what Of a kind that is joined.
  explicit joined_metric(column_name what) : what_{std::move(what)} {}

  /// Takes the next report of the log into account.
  void read(const raw_result& x);
  /// NaN where the trial has no number.
  [[nodiscard]] double of(trial_id trial) const;

private:
  /// Most reports of which the last ones are joined.
  static constexpr std::size_t longest_tail = 10;

  struct tally {
    std::uint64_t count = 0;
    /// The sum, the least or the most.
    double value = 0;
  };

  column_name what_;
  /// By number of the trial.
  std::vector<tally> tallies_;
  /// The last numbers of each trial, used in turn; empty unless the last ones are joined.
  std::vector<std::array<double, longest_tail>> tails_;

  /// How many of the last reports are joined; 0: all.
  [[nodiscard]] std::size_t tail() const;
};

} // namespace tune::cli
