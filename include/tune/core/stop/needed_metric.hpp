/// Metrics that a configuration rests on, and what to say where they never show up.
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
  /// What holds as long as no report has it: "its condition is never met".
  std::string without;

  friend bool operator==(const needed_metric&, const needed_metric&) = default;
};

/// A value that is no number, as it was written, for people: "the text \"low\"". Of a text that is
/// meant as a number, such as "-Infinity", also how that is written. Long ones are cut.
[[nodiscard]] std::string shown_as_written(const value& what);

/// Says what `from` lacks: one line per metric that is missing or no number, with its key, the
/// nearest name that was reported (or all of them), and what follows from it. Automatic metrics
/// are never missing; NaN is a number.
[[nodiscard]] std::vector<std::string> missing_metrics(const std::vector<needed_metric>& needed,
                                                       const report& from);

} // namespace tune
