/// `tune-node serve [DIR]`: a page and an API for experiments, running or not.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "command/command_line.hpp"
#include "exit_code.hpp"

namespace tune::cli {

/// Serves until Ctrl-C or SIGTERM; prints the link on stdout.
[[nodiscard]] exit_code serve_experiments(const command_line& line, const serve_request& what);

} // namespace tune::cli
