/// `tune-node run FILE --head HOST:PORT` submits an experiment to a standing head; `attach` returns
/// to one.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "command/command_line.hpp"
#include "exit_code.hpp"
#include "tune/io/spec/load.hpp"

namespace tune::cli {

/// Submits the experiment, shows it as if it ran here, and writes its result; or leaves it there,
/// if that is wanted. `hold_signals` was called before any thread was started.
/// @param numbered Whether the head is to give it a name with a free number.
[[nodiscard]] exit_code run_at_head(const command_line& line, const run_request& what,
                                    const loaded_spec& loaded, bool numbered);

/// Returns to an experiment that the same certificate submitted, and goes on as if this client had
/// stayed; but signals end only this process. `hold_signals` was called before any thread was
/// started.
[[nodiscard]] exit_code attach_to_experiment(const command_line& line, const attach_request& what);

} // namespace tune::cli
