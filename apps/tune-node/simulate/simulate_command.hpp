/// `tune-node simulate`: an experiment over recorded curves, in virtual time.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "command/command_line.hpp"
#include "exit_code.hpp"
#include "tune/tuner/choices.hpp"

namespace tune::cli {

/// Simulates, then prints a summary as `run` does. Writes no files.
exit_code simulate_experiment(const command_line& line, const simulate_request& what,
                              const choices& all);

} // namespace tune::cli
