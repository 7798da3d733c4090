/// Metrics that a configuration depends on, and messages if they never appear.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/trial/report.hpp"

#include <string>
#include <vector>

namespace tune {

/// A metric that some key of the configuration names.
struct needed_metric {
  /// Section and key: "[stop] when".
  std::string key;
  std::string metric;
  /// The consequence while no report has it: "its condition is never met".
  std::string without;

  friend bool operator==(const needed_metric&, const needed_metric&) = default;
};

/// A value that is not a number, as it was written, for people: "the text \"low\"". For a text that
/// is meant as a number, such as "-Infinity", also its correct form. Long ones are cut.
[[nodiscard]] std::string shown_as_written(const value& what);

/// Lists the metrics that `from` lacks: one line per metric that is missing or not a number, with
/// its key, the nearest reported name (or all of them), and the consequence. Automatic metrics are
/// never missing; NaN is a number.
[[nodiscard]] std::vector<std::string> missing_metrics(const std::vector<needed_metric>& needed,
                                                       const report& from);

} // namespace tune
