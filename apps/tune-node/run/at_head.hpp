/// `tune-node run FILE --head HOST:PORT`: the experiment runs at a standing head.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "command/command_line.hpp"
#include "exit_code.hpp"
#include "tune/io/spec/load.hpp"

namespace tune::cli {

/// Submits the experiment, shows it as if it ran here, and writes its result; or, if that is
/// wanted, leaves it there. `hold_signals` was called before any thread was made.
[[nodiscard]] exit_code run_at_head(const command_line& line, const run_request& what,
                                    const loaded_spec& loaded) noexcept;

} // namespace tune::cli
