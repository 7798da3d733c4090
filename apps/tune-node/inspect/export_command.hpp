/// `tune-node export DIR --format FORM`.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "command/command_line.hpp"
#include "exit_code.hpp"
#include "tune/core/seam/trial_sink.hpp"

namespace tune::cli {

/// Writes the record in the form of another program, and tells on stderr what was written. The
/// experiment may be running.
[[nodiscard]] exit_code export_experiment(const command_line& line, const export_request& what,
                                          const sink_catalogue& sinks);

} // namespace tune::cli
