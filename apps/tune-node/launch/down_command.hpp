/// `tune-node down`: ends what `launch --keep` left standing.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "command/command_line.hpp"
#include "exit_code.hpp"

namespace tune::cli {

/// Ends head and workers, and removes what they left; what cannot be reached stays known.
/// `hold_signals` was called before any thread was started.
[[nodiscard]] exit_code run_down(const command_line& line, const down_request& what);

} // namespace tune::cli
