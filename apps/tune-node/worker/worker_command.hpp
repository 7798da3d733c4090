/// `tune-node worker --join HOST:PORT`.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "command/command_line.hpp"
#include "exit_code.hpp"
#include "tune/tuner/choices.hpp"

namespace tune::cli {

/// Offers this machine to a head until it is told to go. `hold_signals` was called before any
/// thread was started. Events are written to stderr, a line each.
[[nodiscard]] exit_code run_worker(const command_line& line, const worker_request& what,
                                   const choices& all);

} // namespace tune::cli
