/// `tune-node fetch DIR [TRIAL]`: a checkpoint, an export or more of an experiment, as a directory
/// of one's own.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "command/command_line.hpp"
#include "exit_code.hpp"
#include "output/format.hpp"

#include <string_view>

namespace tune::cli {

/// Copies what is wanted out of an experiment's directory. In a process that a head runs for a
/// client the copy goes to stdout instead: a line of JSON about it, then a tar archive.
[[nodiscard]] exit_code fetch(const command_line& line, const fetch_request& what);

/// In a process that a head runs for a client: gives it bytes, which are not for people.
/// @returns false if it takes no more.
[[nodiscard]] bool send_to_client(std::string_view bytes);

/// Like `fetch`, but from a head. Leaves nothing behind if it fails.
[[nodiscard]] exit_code fetch_from_head(const command_line& line, const at_head_request& from,
                                        const fetch_request& what, const table_look& look);

} // namespace tune::cli
