/// Opens the experiment's directory at the beginning of a run, new or to be continued.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/io/spec/load.hpp"
#include "tune/io/store/experiment_store.hpp"

#include "tune/io/spec/resume_mode.hpp"

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace tune {

/// A directory that is ready to be written.
struct opened_storage {
  std::shared_ptr<experiment_store> store;
  /// Whether it holds an unfinished experiment.
  bool resumes = false;
  /// Checkpoints that count as good, but are missing: somebody removed them, or the end of the log,
  /// which recorded their removal, was lost.
  std::vector<on::checkpoint_bad> bad = {};
  /// Trials that had failed and are to run again, in the order of their numbers.
  std::vector<on::retry_asked> again = {};
  /// Whether nothing else is to run.
  bool only_again = false;
  /// Configurations to be tried as well.
  std::vector<on::add_asked> additions = {};
  /// Describes who else may write there; empty: nobody.
  std::string warning = {};
  /// Says that a client paused the whole experiment, and how to lift the pause; empty: nobody did.
  std::string paused = {};
};

/// Whether the directory holds an experiment that is done. One for which `wanted` has more samples
/// than it had, or `how` makes trials run again, is not done but goes on. With `errored_only` also
/// one where no trial has failed, however it ended, unless somebody runs it.
/// @errors `ec::refused` where `wanted` may not go on with the old results; `ec::storage`.
[[nodiscard]] expected<bool> needs_nothing_more(const std::filesystem::path& directory,
                                                const spec& wanted,
                                                resume_mode how = resume_mode::automatic);

/// Finishes what the last head of a done experiment was killed before doing: removes checkpoints
/// that are doomed or that nobody registered, and completes the trial files. For an experiment that
/// needs nothing more. If another head holds the directory, or it cannot be written, nothing is
/// done.
/// @errors `ec::storage`; the results are there nevertheless.
[[nodiscard]] expected<void> finish_up(const std::filesystem::path& directory, const spec& wanted);

/// Begins in `directory`, or goes on there in the way that `resume` says.
/// @errors `ec::refused` where it holds an experiment and `resume` is not given, where the new
///         configuration may not go on with the old results, where another head holds it, or where
///         everybody may replace what is in it; `ec::storage`.
/// @param keeps_open What attempts wrote whose ends are not recorded is kept: they may go on.
[[nodiscard]] expected<opened_storage> open_storage(const std::filesystem::path& directory,
                                                    const spec& wanted,
                                                    std::optional<resume_mode> resume,
                                                    bool keeps_open = false);

/// Reads the log of an experiment in batches: the next events after a place, in order; none at the
/// end.
using history_source = std::function<expected<std::vector<event>>(sequence after)>;

/// @param directory is opened at the first read.
[[nodiscard]] history_source history_of(const std::filesystem::path& directory);

/// The command that lifts the pause of these trials, or, without any, of the whole experiment:
/// "tune-node unpause results/x 0 3".
[[nodiscard]] std::string unpause_call(const std::filesystem::path& directory,
                                       const std::vector<trial_id>& trials = {});

} // namespace tune
