/// `tune-node whatif`: a recorded experiment under other rules, in virtual time.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "command/command_line.hpp"
#include "exit_code.hpp"
#include "output/format.hpp"
#include "tune/tuner/choices.hpp"

namespace tune::cli {

/// Replays the curves of a record and compares. Reads only.
exit_code ask_what_if(const command_line& line, const whatif_request& what, const choices& all,
                      const table_look& look);

} // namespace tune::cli
