/// `tune-node rerun DIR [TRIAL]`: runs one configuration once more, and compares the results with
/// the recorded ones.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "command/command_line.hpp"
#include "exit_code.hpp"
#include "output/format.hpp"
#include "tune/core/ids.hpp"
#include "tune/core/value.hpp"
#include "tune/io/spec/spec.hpp"
#include "tune/io/store/rows.hpp"
#include "tune/tuner/choices.hpp"

#include <iosfwd>
#include <string>
#include <vector>

namespace tune::cli {

/// The recorded specification, changed for one trial that repeats `of`: its values are constants,
/// no scheduler ends it, and it stops at the iteration where that trial did.
[[nodiscard]] spec spec_for_rerun(spec recorded, const trial_row& of);

/// One metric, then and now. Null: not reported.
struct compared_metric {
  std::string metric;
  value recorded;
  value now;
};

/// The numbers of both reports: first those of `recorded` in its order, then the others.
[[nodiscard]] std::vector<compared_metric> compared_metrics(const object& recorded,
                                                            const object& now);

/// The result of a rerun.
struct rerun_result {
  std::string experiment;
  trial_id trial;
  /// Directory of the new experiment.
  std::string directory;
  /// The first objective.
  std::string metric;
  /// Whether the recorded trial reported anything.
  bool has_reports = false;
  /// Iteration of the recorded trial's best report; 0: it never reported the metric, or NaN alone.
  std::uint64_t best_iteration = 0;
  /// Iteration that is compared; 0: the new trial has no such report.
  std::uint64_t iteration = 0;
  object config;
  /// See `run_snapshot`.
  std::vector<std::string> object_parameters = {};
  /// Files of the command that were different when the experiment ran.
  std::vector<std::string> edited = {};
  std::vector<compared_metric> metrics = {};
};

void write_rerun(const rerun_result& x, output_format format, const table_look& look,
                 std::ostream& out);

/// `hold_signals` was called before any thread was made.
[[nodiscard]] exit_code rerun_trial(const command_line& line, const rerun_request& what,
                                    const choices& all, const table_look& look);

} // namespace tune::cli
