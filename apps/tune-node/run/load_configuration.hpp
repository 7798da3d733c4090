/// Reads the configuration of a command: a file, or what an experiment recorded.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/io/spec/load.hpp"
#include "tune/tuner/choices.hpp"

#include <optional>
#include <string>
#include <vector>

namespace tune::cli {

/// Reads the configuration for a command; faults go to stderr.
/// @param needs_trainable Whether `[trainable]` must say what a trial is.
/// @returns nothing if there are faults: exit code 3.
[[nodiscard]] std::optional<loaded_spec> load_or_complain(const std::string& file,
                                                          const std::vector<named_text>& with,
                                                          const choices& all, bool quiet = false,
                                                          bool needs_trainable = true);

/// A recorded configuration as if it were read from its file again, with changes by this command
/// line and the environment. @returns nothing if there are faults, which go to stderr.
[[nodiscard]] std::optional<loaded_spec> load_recorded(const spec& recorded,
                                                       const std::vector<named_text>& overrides,
                                                       const choices& all, bool quiet);

/// Warns on stderr if a command's program is not on this machine.
void warn_of_missing_program(const loaded_spec& loaded, bool quiet);

} // namespace tune::cli
