/// Snapshots of a running or finished experiment, made from the actors' answers.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "console/run_snapshot.hpp"
#include "tune/io/spec/resume_mode.hpp"
#include "tune/io/store/store_reader.hpp"
#include "tune/tuner/experiment_actors.hpp"

#include <filesystem>
#include <functional>
#include <optional>

namespace tune::cli {

/// The part of a snapshot that never changes during a run.
struct snapshot_frame {
  std::string experiment;
  std::string directory;
  std::vector<objective> objectives;
  constraint_list constraints;
  std::vector<std::string> object_parameters = {};
  repeat_rule repeats;
  /// Samples that the search is expected to make in all; 0: unknown.
  std::uint64_t expected_samples = 0;
  std::chrono::nanoseconds time_limit{0};
};

[[nodiscard]] snapshot_frame frame_of(const spec& what, const std::filesystem::path& directory);

/// The state in `view`, at experiment time `at`.
[[nodiscard]] run_snapshot snapshot_of(const snapshot_frame& fixed, const experiment_view& view,
                                       instant at);

/// Asks the set of actors for its state; nothing if it does not answer soon.
[[nodiscard]] std::optional<run_snapshot> take_snapshot(experiment_actors& actors,
                                                        const snapshot_frame& fixed);

/// An experiment that nobody runs.
struct finished_run {
  run_snapshot last;
  /// Why it ended; of its view only what decides the exit code.
  run_summary how;
  /// Whether an executor ran its trials (`ask-tell`).
  bool is_asked = false;
};

/// The end of an experiment that was finished before, as `is_over_already` finds it; nothing if
/// there is none, or if it goes on.
/// @errors `ec::refused` if `wanted` may not go on with the old results; `ec::storage`.
[[nodiscard]] expected<std::optional<finished_run>>
finished_before(const std::filesystem::path& directory, const spec& wanted,
                const snapshot_frame& fixed, std::optional<resume_mode> resume,
                const std::function<void(const error&)>& untidy);

/// The same of an experiment that has ended, by its record.
[[nodiscard]] expected<finished_run> recorded_end(store_reader& from, const experiment_row& row,
                                                  const snapshot_frame& fixed);

/// The state in the database.
[[nodiscard]] expected<run_snapshot>
recorded_snapshot(store_reader& from, const experiment_row& row, const snapshot_frame& fixed);

/// Whether all trials have been made that the experiment is to have, as far as their number is
/// known, and have ended.
/// @errors `ec::storage`.
[[nodiscard]] expected<bool> have_all_ended(store_reader& from, const experiment_row& row,
                                            const snapshot_frame& fixed);

/// Number of trials that an experiment which begins, or goes on, will have; nothing where that is
/// unknown.
/// @param before    The directory of an experiment that goes on; empty: it begins.
/// @param additions Configurations that are added to it at once.
[[nodiscard]] std::optional<std::uint64_t>
planned_at_start(const snapshot_frame& fixed, const std::filesystem::path& before,
                 const std::vector<on::add_asked>& additions);

/// Adds the counts of exports in its record. What cannot be read is left out.
void count_exports(run_snapshot& to, const std::filesystem::path& directory);

} // namespace tune::cli
