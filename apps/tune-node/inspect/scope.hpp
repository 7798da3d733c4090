/// Which of a trial's reports speak for it.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "command/command_line.hpp"
#include "tune/io/store/store_reader.hpp"

#include <memory>
#include <span>
#include <string>
#include <vector>

namespace tune::cli {

/// The metrics of several reports in one: of each that is a number in some of them the mean, the
/// least or the most, as `how` says. NaN does not count. Nested objects are looked into by '/'.
///
/// @param reports In the order in which they came. @param how None of `best` and `last`.
[[nodiscard]] object joined_metrics(std::span<const std::shared_ptr<const report>> reports,
                                    metric_scope how);

/// What speaks for a trial.
struct scoped_reports {
  object metrics;
  /// The configuration of the report that `metrics` come from; of the least or the most: of the
  /// first report with that value of the first objective; of a mean: of its last report.
  object config;
};

/// The metrics that speak for the trial, and their configuration. Every report counts that it ever
/// made, of all its attempts, also where an iteration was reported again.
/// @param first The first objective. @errors of the reader.
[[nodiscard]] expected<scoped_reports> reports_in_scope(store_reader& from, const trial_row& of,
                                                        metric_scope how, const std::string& first);

/// For each row whether no other is better in one objective and as good in all others. Rows that
/// lack a number for one are none of the front.
[[nodiscard]] std::vector<bool> pareto_front(std::span<const std::vector<value>> rows,
                                             const std::vector<objective>& objectives);

} // namespace tune::cli
