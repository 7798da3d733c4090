/// The command line that continues an experiment that nobody runs now. The lines below `next:` are
/// made in console/summary.cpp.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/error.hpp"
#include "tune/io/spec/spec.hpp"
#include "tune/tuner/needed_files.hpp"

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace tune::cli {

/// The way to continue, in words of a shell.
struct way_on {
  /// "tune-node resume results/x", to which options can be added. If the files of its trials are
  /// not here: a `run` of its INI file, with FILE for the file and HOST:PORT for a head, since only
  /// the user who submitted it knows these.
  std::string command;
  /// Whether `command` is that `resume`.
  bool is_resume = true;
  /// Explains FILE and HOST:PORT in `command`, as the end of a sentence; empty: it has neither.
  std::string note = {};
};

/// @param missing Files that its trials need and that are not where the record says.
[[nodiscard]] way_on way_on_from(const std::filesystem::path& directory,
                                 const missing_files& missing);
/// The way on for the present content of the directory.
[[nodiscard]] way_on way_on_in(const std::filesystem::path& directory);

/// The command that goes on with an experiment whose trials a program of the user's own runs
/// (`ask-tell`), with FILE for its INI file. @param directory Empty: not known, and not named.
[[nodiscard]] std::string executor_line(const std::filesystem::path& directory);

/// The command with a mode for trials that had failed, such as "errored_only".
[[nodiscard]] std::string with_mode(const way_on& x, std::string_view mode);

/// Checks that the experiment in `directory` still has the files that it began with. To be called
/// before anything changes.
/// @param by_record Whether its configuration, with the paths of its files, is the recorded one.
/// @errors `ec::unreadable`, with the missing files and how to go on.
[[nodiscard]] expected<void> has_files_to_go_on(const std::filesystem::path& directory,
                                                const spec& now, bool by_record);

/// The option that names other files to run the same trials with: "--trainable.command COMMAND",
/// "--trainable.plugin FILE", "--trainable.path FILE".
[[nodiscard]] std::string files_option(const spec& what);

/// Checks that a trial of `before` can be run again as `now` says.
/// @errors `ec::unreadable`, with the missing files and how to run it nevertheless.
[[nodiscard]] expected<void> has_files_to_rerun(const std::filesystem::path& directory,
                                                const spec& before, const spec& now);

} // namespace tune::cli
