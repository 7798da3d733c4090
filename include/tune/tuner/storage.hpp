/// The experiment's directory at the beginning of a run: new, or to be gone on with.
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
  /// It holds an unfinished experiment.
  bool resumes = false;
  /// Checkpoints that count as good, but are not there: somebody removed them, or the end of the
  /// log that told of their removal was lost.
  std::vector<on::checkpoint_bad> bad = {};
  /// Trials that had failed and are to run again, in the order of their numbers.
  std::vector<on::retry_asked> again = {};
  /// Nothing else is to run.
  bool only_again = false;
  /// Configurations that are to be tried besides.
  std::vector<on::add_asked> additions = {};
  /// Who else may write there; empty: nobody.
  std::string warning = {};
  /// That a client paused the whole experiment, and what lifts that; empty: nobody did.
  std::string paused = {};
};

/// Whether the directory holds an experiment that is done, unless `wanted` has more samples than it
/// had, or `how` makes trials of it run again: that goes on.
/// @errors `ec::refused` where `wanted` may not go on with the old results; `ec::storage`.
[[nodiscard]] expected<bool> needs_nothing_more(const std::filesystem::path& directory,
                                                const spec& wanted,
                                                resume_mode how = resume_mode::automatic);

/// Does what the last head of an experiment that is done was killed before: removes checkpoints
/// that are doomed or nobody registered, and completes the trial files. For one that needs nothing
/// more. Where another head holds the directory, or it cannot be written, nothing is done.
/// @errors `ec::storage`; the results are there all the same.
[[nodiscard]] expected<void> finish_up(const std::filesystem::path& directory, const spec& wanted);

/// Begins in `directory`, or goes on there if `resume` says so and how.
/// @errors `ec::refused` where it holds an experiment and `resume` is not given, where the new
///         configuration may not go on with the old results, where another head holds it, or where
///         everybody may replace what is in it; `ec::storage`.
[[nodiscard]] expected<opened_storage> open_storage(const std::filesystem::path& directory,
                                                    const spec& wanted,
                                                    std::optional<resume_mode> resume);

/// Reads the log of an experiment: the events after a place, in order, some at a time; none: that
/// was all.
using history_source = std::function<expected<std::vector<event>>(sequence after)>;

/// @param directory is opened when it is read first.
[[nodiscard]] history_source history_of(const std::filesystem::path& directory);

} // namespace tune
