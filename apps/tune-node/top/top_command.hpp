/// `tune-node top`.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "command/command_line.hpp"
#include "exit_code.hpp"

namespace tune::cli {

/// Shows an experiment over the whole terminal until the user, or a signal, ends it.
/// @returns done; configuration: there is no such experiment, or no terminal; terminated, hung_up,
///          interrupted by a signal.
[[nodiscard]] exit_code show_top(const command_line& line, const top_request& what);

} // namespace tune::cli
