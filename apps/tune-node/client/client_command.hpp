/// `tune-node stop`, `pause`, `unpause`, `add`, `retry`: asks the head of a running experiment.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "command/command_line.hpp"
#include "exit_code.hpp"
#include "tune/core/error.hpp"
#include "tune/io/control/control_words.hpp"

#include <iosfwd>
#include <span>
#include <string>

namespace tune::cli {

/// The request that a command line stands for.
/// @errors `ec::bad_option` with the value that cannot be read.
[[nodiscard]] expected<control_request> request_of(const client_command& what);

/// Writes the outcome for each trial to `out`, in the requested format. As a table, failures go to
/// `talk` instead.
/// @param experiment Name of the whole experiment: that of its directory.
void write_told(std::span<const order_verdict> told, const std::string& experiment,
                output_format format, std::ostream& out, std::ostream& talk);

/// Carries the command out. What is taken is on disk when it returns.
/// @returns done; configuration: no such trial, or no such configuration; refused: it cannot be
/// done
///          as things stand, or by this user; unreachable: nobody runs the experiment here.
[[nodiscard]] exit_code run_client(const command_line& line, const client_command& what);

} // namespace tune::cli
