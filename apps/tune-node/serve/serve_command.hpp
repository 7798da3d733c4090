/// `tune-node serve [DIR]`: a page and an API for experiments, running or not.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "command/command_line.hpp"
#include "exit_code.hpp"
#include "tune/tuner/choices.hpp"

namespace tune::cli {

/// Serves until Ctrl-C or SIGTERM; prints the link on stdout.
/// @param all Everything that experiments may name.
[[nodiscard]] exit_code serve_experiments(const command_line& line, const serve_request& what,
                                          const choices& all);

} // namespace tune::cli
