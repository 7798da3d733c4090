/// `tune-node launch --keep`: a cluster that stands on machines that ssh reaches.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "command/command_line.hpp"
#include "exit_code.hpp"
#include "tune/tuner/choices.hpp"

namespace tune::cli {

/// Starts the cluster, or adds to one that stands and mends what failed there; ends once each
/// machine has joined or failed. `hold_signals` was called before any thread was started.
[[nodiscard]] exit_code keep_cluster(const command_line& line, const launch_request& what,
                                     const choices& all);

} // namespace tune::cli
