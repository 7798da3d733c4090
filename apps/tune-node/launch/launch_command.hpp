/// `tune-node launch FILE --hosts A,B`: an experiment on machines that ssh reaches.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "command/command_line.hpp"
#include "exit_code.hpp"
#include "tune/tuner/choices.hpp"

namespace tune::cli {

/// Leads an experiment here, with workers on other machines, which it starts and ends.
/// `hold_signals` was called before any thread was started.
[[nodiscard]] exit_code run_launch(const command_line& line, const launch_request& what,
                                   const choices& all);

} // namespace tune::cli
