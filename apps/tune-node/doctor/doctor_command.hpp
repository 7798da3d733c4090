/// `tune-node doctor`: is all well with this machine, or between it and a head?
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "command/command_line.hpp"
#include "doctor/checkup.hpp"

namespace tune::cli {

/// Looks at this machine, as one that runs trials: its limits, directories, certificates.
[[nodiscard]] std::vector<checkup_step> check_machine(const doctor_request& what);

/// Walks the way of a worker to its head, without joining: name, port, certificates, TLS, then what
/// the head tells. What follows a step that failed is skipped where it depends on it.
[[nodiscard]] std::vector<checkup_step> check_way_to_head(const doctor_request& what);

/// Does one of these, and writes to stdout what it found.
[[nodiscard]] exit_code run_doctor(const command_line& line, const doctor_request& what,
                                   const table_look& look);

} // namespace tune::cli
