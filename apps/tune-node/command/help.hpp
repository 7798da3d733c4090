/// Help texts: examples first, made from the command table.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "command/command_line.hpp"
#include "console/style.hpp"

#include <string>
#include <string_view>

namespace tune::cli {

/// The text of `--help` (short) or `--help-all`, with line ends.
/// @param what `topic` must name a command or be empty.
[[nodiscard]] std::string help_text(const help_request& what, const style& look);

/// "tune-node 0.1.0 (CAF 0.17.6)", or a JSON object if `format` is JSON; with a line end.
/// @param caf_version Version of the linked library.
[[nodiscard]] std::string version_text(std::string_view caf_version, output_format format);

} // namespace tune::cli
