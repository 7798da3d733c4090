/// One self-contained page about experiments: words, tables, charts, and what it takes to run them
/// again.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "report/findings.hpp"
#include "report/gather_study.hpp"
#include "report/report_answers.hpp"
#include "tune/core/error.hpp"

#include <string>
#include <vector>

namespace tune::cli {

/// One experiment of a report.
struct reported_experiment {
  /// Its name in the report, unlike those of the others.
  std::string label;
  gathered_study facts;
  findings found;
  report_answers answers;
  /// Its configuration as an INI file, without secrets.
  std::string ini;
};

/// A line of a table that sets several experiments side by side.
struct compared_key {
  std::string key;
  /// One per experiment.
  std::vector<std::string> values;
};

/// What a report is made of.
struct report_parts {
  /// [>= 1]
  std::vector<reported_experiment> experiments;
  /// Keys that differ; empty with one experiment.
  std::vector<compared_key> differences = {};
  /// When it was made: UTC.
  std::string made = {};
  /// By which version of this program.
  std::string version = {};
};

/// What draws the charts.
struct report_scripts {
  /// All style sheets.
  std::string style;
  /// The chart library and the modules; empty: there are no charts.
  std::string script;
};

/// From the files of the page, as they lie in the program; empty where it was built without them.
/// @errors as `bundle_of`.
[[nodiscard]] expected<report_scripts> scripts_of_program();

/// The page. It asks no host for anything, and its content security policy forbids that, and any
/// script and style but its own. All texts of experiments are shown as texts.
[[nodiscard]] std::string report_html(const report_parts& what, const report_scripts& by);

} // namespace tune::cli
