/// `tune-node resume DIR`: goes on with the configuration that the directory holds.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "command/command_line.hpp"
#include "exit_code.hpp"
#include "tune/io/spec/load.hpp"
#include "tune/tuner/choices.hpp"

#include <optional>
#include <vector>

namespace tune::cli {

/// A recorded configuration as if it were read from its file again, with changes by this command
/// line and the environment. @returns nothing if there are faults, which go to stderr.
[[nodiscard]] std::optional<loaded_spec> load_recorded(const spec& recorded,
                                                       const std::vector<named_text>& overrides,
                                                       const choices& all, bool quiet);

/// `hold_signals` was called before any thread was made.
[[nodiscard]] exit_code resume_experiment(const command_line& line, const resume_request& what,
                                          const choices& all);

} // namespace tune::cli
