/// How a trainable that is a program begins. Private to actors.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "trainables.hpp"

#include "tune/core/trial/program_attempt.hpp"
#include "tune/io/process/metric_pattern.hpp"

#include <filesystem>
#include <optional>
#include <string>

namespace tune {

/// Prepared before the actor began, or why that failed.
struct program_start {
  std::filesystem::path params;
  std::optional<metric_pattern> patterns;
  std::string trouble;
  /// Describes what was in the way.
  std::string note;
};

/// Prepares the files of the trial and what reads its lines.
/// @param patterns Null: its lines are not read for metrics.
/// @errors The node cannot get them ready. Whatever the trial did to its own directory is its own
///   fault, since no node would do better: that is `trouble`, and no error.
[[nodiscard]] expected<program_start> prepare_program(const trainable_start& what,
                                                      const expected<metric_pattern>* patterns);

/// The rules' view of the attempt. @param is_read Metrics are found in its lines.
[[nodiscard]] program_attempt::plan program_plan_of(const trainable_start& what, bool is_read);

/// Whether metrics are read from stderr alone.
[[nodiscard]] bool reads_stderr(const job& what);

} // namespace tune
