/// `tune-node run FILE --head HOST:PORT`: the experiment runs at a standing head.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "command/command_line.hpp"
#include "exit_code.hpp"
#include "tune/io/spec/load.hpp"

namespace tune::cli {

/// Submits the experiment, shows it as if it ran here, and writes its result; or, if that is
/// wanted, leaves it there. `hold_signals` was called before any thread was made.
/// @param numbered The head is to give its name a number that is free.
[[nodiscard]] exit_code run_at_head(const command_line& line, const run_request& what,
                                    const loaded_spec& loaded, bool numbered);

/// Comes back to an experiment that the same certificate submitted, and does as if it had stayed;
/// but signals end this process alone. `hold_signals` was called likewise.
[[nodiscard]] exit_code attach_to_experiment(const command_line& line, const attach_request& what);

} // namespace tune::cli
