/// `tune-node run FILE`.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "command/command_line.hpp"
#include "exit_code.hpp"
#include "tune/io/spec/load.hpp"
#include "tune/tuner/choices.hpp"

namespace tune::cli {

/// Runs one experiment on this machine. `hold_signals` was called before any thread was started.
[[nodiscard]] exit_code run_experiment(const command_line& line, const run_request& what,
                                       const choices& all);

/// `--dry-run`: the first configurations, and one rendered command, on stdout.
[[nodiscard]] exit_code show_dry_run(const command_line& line, const loaded_spec& loaded,
                                     const choices& all);

} // namespace tune::cli
