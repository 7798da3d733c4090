/// `tune-node wait DIR`: the end of an experiment that another process runs.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "command/command_line.hpp"
#include "exit_code.hpp"
#include "output/format.hpp"

namespace tune::cli {

/// Waits until nobody works on the experiment, writes its result as `run` does, and ends with the
/// same exit code; at once where it has ended already.
/// @returns `unreachable` where its head is gone and the experiment has not ended.
[[nodiscard]] exit_code wait_for_experiment(const command_line& line, const wait_request& what,
                                            const table_look& look);

} // namespace tune::cli
