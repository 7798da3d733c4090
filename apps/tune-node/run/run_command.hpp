/// `tune-node run FILE`.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "command/command_line.hpp"
#include "exit_code.hpp"
#include "tune/tuner/parts.hpp"

namespace tune::cli {

/// Runs one experiment on this machine. `hold_signals` was called before any thread was started.
[[nodiscard]] exit_code run_experiment(const command_line& line, const run_request& what,
                                       const choices& all);

/// Runs `loaded` in `directory`: begins there, or goes on as `what.resume` says.
/// @param what Its `file` and `overrides` are those that `loaded` was made of.
[[nodiscard]] exit_code run_in_directory(const command_line& line, const run_request& what,
                                         loaded_spec loaded, const choices& all,
                                         const std::filesystem::path& directory);

/// `--dry-run`: the first configurations, and one rendered command, on stdout.
[[nodiscard]] exit_code show_dry_run(const command_line& line, const loaded_spec& loaded,
                                     const choices& all);

/// Reads the configuration for a command; faults go to stderr.
/// @param needs_trainable Whether `[trainable]` must say what a trial is.
/// @returns nothing if there are faults: exit code 3.
[[nodiscard]] std::optional<loaded_spec> load_or_complain(const std::string& file,
                                                          const std::vector<named_text>& with,
                                                          const choices& all, bool quiet = false,
                                                          bool needs_trainable = true);

/// Warns on stderr if a command's program is not on this machine.
void warn_of_missing_program(const loaded_spec& loaded, bool quiet);

} // namespace tune::cli
