/// Constraints on outcomes: limits that a report has to keep to, and what "best" means with them.
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

/// Comparisons of metrics with numbers that are to hold at once: `latency <= 20, memory < 2e9`.
/// One of `>=`, `>`, `<=` and `<` each; the number is finite, and the metric one that trials
/// report.
using constraint_list = std::vector<metric_comparison>;

/// @errors `ec::bad_syntax` or `ec::bad_option`, with the column; empty text gives an empty list.
[[nodiscard]] expected<constraint_list> parse_constraints(std::string_view text);

/// As `parse_constraints` reads it.
[[nodiscard]] std::string to_text(const constraint_list& xs);

/// By how much the metrics miss each constraint, in the metric's own unit: at most 0 where it is
/// kept, above 0 where it is not, infinite where the metric is missing, NaN, or no number.
[[nodiscard]] std::vector<double> violations_of(const constraint_list& xs, const object& metrics);

/// The sum of what is above 0; 0 where all constraints are kept.
[[nodiscard]] double total_violation(const constraint_list& xs, const object& metrics);

/// How good a report is.
struct merit {
  /// See `total_violation`. [>= 0]
  double violation = 0;
  /// The first objective, larger is better; NaN where it is missing.
  double score = std::numeric_limits<double>::quiet_NaN();

  friend bool operator==(const merit&, const merit&) = default;
};

/// A report with a score goes before one without; then less violation counts, then the score. So
/// whatever keeps all constraints goes before whatever does not. Neither of two equal ones is
/// better.
[[nodiscard]] bool is_better(const merit& x, const merit& than);

} // namespace tune
