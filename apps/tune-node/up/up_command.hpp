/// `tune-node up FILE`: one command for all processes that a launcher starts.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "command/command_line.hpp"
#include "exit_code.hpp"
#include "tune/tuner/choices.hpp"

namespace tune::cli {

/// Leads the experiment as rank 0, or works for it as any other rank; see `launch_place_of`.
/// `hold_signals` was called with the notice signal before any thread was started.
/// @returns the experiment's exit code, at all ranks.
[[nodiscard]] exit_code run_up(const command_line& line, const up_request& what,
                               const choices& all);

} // namespace tune::cli
