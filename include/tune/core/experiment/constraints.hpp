/// Constraints on outcomes: limits that a report has to keep, and the meaning of "best" with them.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/error.hpp"
#include "tune/core/stop/metric_condition.hpp"
#include "tune/core/value.hpp"

#include <limits>
#include <string>
#include <string_view>
#include <vector>

namespace tune {

/// Comparisons of metrics with numbers that must all hold: `latency <= 20, memory < 2e9`. Each uses
/// `>=`, `>`, `<=` or `<`; the number is finite, and the metric is one that trials report.
using constraint_list = std::vector<metric_comparison>;

/// @returns an empty list for empty text.
/// @errors `ec::bad_syntax` or `ec::bad_option`, with the column.
[[nodiscard]] expected<constraint_list> parse_constraints(std::string_view text);

/// The text that `parse_constraints` reads back.
[[nodiscard]] std::string to_text(const constraint_list& xs);

/// The amount by which the metrics miss each constraint, in the metric's own unit: at most 0 if it
/// is kept, above 0 if it is not, infinite if the metric is missing, NaN, or not a number.
[[nodiscard]] std::vector<double> violations_of(const constraint_list& xs, const object& metrics);

/// The sum of the positive violations; 0 if all constraints are kept.
[[nodiscard]] double total_violation(const constraint_list& xs, const object& metrics);

/// Quality of a report.
struct merit {
  /// See `total_violation`. [>= 0]
  double violation = 0;
  /// The first objective, larger is better; NaN if it is missing.
  double score = std::numeric_limits<double>::quiet_NaN();

  friend bool operator==(const merit&, const merit&) = default;
};

/// Compares reports: one with a score beats one without; then less violation wins, then the higher
/// score. Thus a report that keeps all constraints beats any that does not. Neither of two equal
/// reports is better.
[[nodiscard]] bool is_better(const merit& x, const merit& than);

} // namespace tune
