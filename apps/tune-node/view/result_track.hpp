/// How the best value of an experiment came about, report by report.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/io/store/scan_rows.hpp"
#include "view/trial_table.hpp"

#include <optional>
#include <string>
#include <vector>

namespace tune::cli {

/// The number of a metric in a report, those that the runtime adds included; empty if there is none
/// or it is no number.
[[nodiscard]] std::optional<double> metric_in(const raw_result& x, const std::string& metric);

/// Follows the best report, by `is_better`, of the experiment and of each trial.
class result_track {
public:
  explicit result_track(comparing_rules by) : by_{std::move(by)} {}

  /// Takes the next report of the log into account.
  void read(const raw_result& x);

  /// A report that was better than all before it.
  struct step {
    instant at{0};
    trial_id trial;
    double value = 0;
  };
  [[nodiscard]] const std::vector<step>& steps() const { return steps_; }
  /// When the trial made its best report; empty if it has none with a number.
  [[nodiscard]] std::optional<instant> when_best(trial_id trial) const;

  /// Trials beyond this number are not followed one by one.
  static constexpr std::uint64_t most_trials = 20'000'000;

private:
  struct standing {
    merit how;
    instant at{0};
  };

  comparing_rules by_;
  std::vector<step> steps_;
  std::vector<standing> trials_;
  merit best_;
};

} // namespace tune::cli
