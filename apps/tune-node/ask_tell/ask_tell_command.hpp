/// `tune-node ask-tell FILE`.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "command/command_line.hpp"
#include "exit_code.hpp"
#include "tune/tuner/choices.hpp"

namespace tune::cli {

/// Converses with an external executor on stdin and stdout until its input ends or a signal comes.
/// `hold_signals` was called before any thread was started.
[[nodiscard]] exit_code run_ask_tell(const command_line& line, const ask_tell_request& what,
                                     const choices& all);

} // namespace tune::cli
