/// The record of an experiment on its way from a head to a client.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "client/copy_draft.hpp"
#include "command/command_line.hpp"
#include "exit_code.hpp"
#include "output/format.hpp"

#include <filesystem>
#include <string>

namespace tune::cli {

/// In a process that a head runs for a client: sends the record as it is now, as `fetch` sends
/// things. The experiment may be running.
[[nodiscard]] exit_code send_record(const std::string& directory);

/// Has the head send the record, into a new directory at `to`. Complains if that fails.
[[nodiscard]] exit_code receive_record(const at_head_request& from, const std::filesystem::path& to,
                                       const table_look& look, copy_draft& draft);

} // namespace tune::cli
