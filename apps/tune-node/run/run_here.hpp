/// A run on this machine, from a checked configuration to the exit code: what `run`, `resume` and
/// `rerun` share.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "command/command_line.hpp"
#include "exit_code.hpp"
#include "tune/io/devices/devices.hpp"
#include "tune/io/spec/load.hpp"
#include "tune/tuner/choices.hpp"

#include <filesystem>

namespace tune::cli {

/// Runs `loaded` in `directory`: begins there, or goes on as `what.resume` says.
/// @param what Its `file` and `overrides` are those that `loaded` was made of.
[[nodiscard]] exit_code run_in_directory(const command_line& line, const run_request& what,
                                         loaded_spec loaded, const choices& all,
                                         const std::filesystem::path& directory);

/// Whether this machine has the GPUs that it is to offer, and trials can ever run on it; complains
/// if not. The latter is unknown where workers may join.
[[nodiscard]] bool can_run(const loaded_spec& loaded, const host_resources& machine);

} // namespace tune::cli
