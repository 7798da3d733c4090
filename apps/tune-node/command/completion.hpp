/// Completion scripts for shells, made from the command table.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "command/command_line.hpp"

#include <string>

namespace tune::cli {

/// A script that teaches `shell` the commands, options and their values.
[[nodiscard]] std::string completion_script(completion_request::shell shell);

} // namespace tune::cli
