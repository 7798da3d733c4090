/// `tune-node config check|explain|print FILE`.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "command/command_line.hpp"
#include "exit_code.hpp"
#include "inspect/list.hpp"
#include "output/format.hpp"

namespace tune::cli {

/// Reads a configuration and shows the result on stdout.
[[nodiscard]] exit_code show_config(const config_request& what, const choices& all,
                                    output_format format);

} // namespace tune::cli
