/// Reads what the words of a report are about from the record of an experiment.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "inspect/experiments.hpp"
#include "report/study.hpp"
#include "view/watched_experiment.hpp"

namespace tune::cli {

/// One of the best trials, as texts.
struct best_line {
  trial_id trial;
  std::string value;
  std::uint64_t iteration = 0;
  std::uint64_t iterations = 0;
  std::string status = {};
  std::string config = {};
};

/// What was read: the study, and what it takes to run the experiment again.
struct gathered_study {
  study what;
  /// The experiment's own configuration, as its newest head had it.
  spec configuration;
  std::string directory;
  /// UTC, as "2026-01-31T12:00:00Z".
  std::string created;
  /// Program that made the record.
  std::string build;
  /// Files of the command under all heads, with their SHA-256.
  std::vector<named_text> code;
  /// The best ten, the best first; where configurations run several times, the best run of each.
  std::vector<best_line> best;
};

/// Without importances: see `add_importance`.
///
/// @param from   The experiment; `directory` is what the user called it.
/// @errors as `watched_experiment::look`.
[[nodiscard]] expected<gathered_study> gather_study(watched_experiment& from,
                                                    const std::string& directory);

/// Adds the answer of the read model about the importance of parameters.
void add_importance(study& to, const object& answer);

} // namespace tune::cli
