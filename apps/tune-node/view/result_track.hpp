/// How the best value of an experiment came about, report by report.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/io/store/scan_rows.hpp"
#include "view/trial_table.hpp"

#include <cstdint>
#include <functional>
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

  /// The lineage of an attempt; empty: it is not known.
  using lineage_source = std::function<std::optional<lineage_id>(trial_id, attempt_id)>;

  /// Takes the next report of the log into account. Of an iteration that was run again the first
  /// report alone counts, as for the best of the record.
  /// @param lineage_of Asked where a trial reports an iteration that is not beyond all before.
  void read(const raw_result& x, const lineage_source& lineage_of);

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
    /// The farthest iteration of the present lineage, and the attempt that reported it.
    std::uint64_t farthest = 0;
    attempt_id attempt = {};
    /// An attempt of the same lineage that runs iterations again.
    attempt_id repeating = {};
    /// Whether a report had a number for the metric, other than NaN.
    bool has_number = false;
  };

  comparing_rules by_;
  std::vector<step> steps_;
  std::vector<standing> trials_;
  merit best_;

  [[nodiscard]] static bool is_first(standing& own, const raw_result& x,
                                     const lineage_source& lineage_of);
};

} // namespace tune::cli
