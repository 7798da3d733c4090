/// The manual page, made from the command table.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

namespace tune::cli {

/// The page `tune-node(1)` as text for `man`, with all commands, options and exit codes.
[[nodiscard]] std::string man_page();

} // namespace tune::cli
