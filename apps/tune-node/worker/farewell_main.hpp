/// What the guard of a worker runs when that was killed: it tells the head, whose trials then go on
/// elsewhere at once.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "command/command_line.hpp"

#include <optional>
#include <string>
#include <vector>

namespace tune::cli {

/// The words of the command line for a worker.
/// @param worker See `hello::worker`.
[[nodiscard]] std::vector<std::string> farewell_words(const worker_request& what,
                                                      const std::string& worker);

/// Tells the head where the command line is such. @returns the exit status; nothing: it is another.
[[nodiscard]] std::optional<int> farewell_main(int argc, char** argv);

} // namespace tune::cli
