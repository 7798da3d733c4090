/// `tune-node resume DIR`: goes on with the configuration that the directory holds.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "command/command_line.hpp"
#include "exit_code.hpp"
#include "tune/tuner/choices.hpp"

namespace tune::cli {

/// `hold_signals` was called before any thread was made.
[[nodiscard]] exit_code resume_experiment(const command_line& line, const resume_request& what,
                                          const choices& all);

} // namespace tune::cli
