/// Run by the guard of a worker that was killed: tells the head, so that its trials go on elsewhere
/// at once.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "command/command_line.hpp"

#include <optional>
#include <string>
#include <vector>

namespace tune::cli {

/// The words of the command line that the guard runs.
/// @param worker See `hello::worker`.
[[nodiscard]] std::vector<std::string> farewell_words(const worker_request& what,
                                                      const std::string& worker);

/// Tells the head if this is such a command line. @returns the exit status; nothing: it is another
/// command line.
[[nodiscard]] std::optional<int> farewell_main(int argc, char** argv);

} // namespace tune::cli
