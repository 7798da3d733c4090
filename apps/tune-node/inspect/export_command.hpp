/// `tune-node export DIR --format FORM`.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "command/command_line.hpp"
#include "exit_code.hpp"
#include "output/format.hpp"
#include "tune/core/seam/trial_sink.hpp"

namespace tune::cli {

/// Writes the record in the form of another program, and tells on stderr what was written. The
/// experiment may be running. In a process that a head runs for a client the record itself goes to
/// stdout instead: see `send_record`.
[[nodiscard]] exit_code export_experiment(const command_line& line, const export_request& what,
                                          const sink_catalogue& sinks);

/// The same of an experiment at a head, written here.
[[nodiscard]] exit_code export_from_head(const command_line& line, const at_head_request& from,
                                         const export_request& what, const sink_catalogue& sinks,
                                         const table_look& look);

} // namespace tune::cli
