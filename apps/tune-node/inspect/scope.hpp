/// Determines the metrics that represent a trial, from its reports.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "command/command_line.hpp"
#include "tune/io/store/store_reader.hpp"

#include <memory>
#include <span>
#include <vector>

namespace tune::cli {

/// Combines the metrics of several reports: for each that is a number in some of them the mean, the
/// least or the greatest, as `how` says. NaN does not count. Nested objects are addressed with '/'.
///
/// @param reports In the order in which they came. @param how Neither `best` nor `last`.
[[nodiscard]] object joined_metrics(std::span<const std::shared_ptr<const report>> reports,
                                    metric_scope how);

/// The metrics that represent the trial. Every report of all its attempts counts, even if an
/// iteration was reported again. @errors of the reader.
[[nodiscard]] expected<object> metrics_in_scope(store_reader& from, const trial_row& of,
                                                metric_scope how);

/// For each row whether no other is better in one objective and as good in all others. Rows that
/// lack a number for an objective are not in the front.
[[nodiscard]] std::vector<bool> pareto_front(std::span<const std::vector<value>> rows,
                                             const std::vector<objective>& objectives);

} // namespace tune::cli
