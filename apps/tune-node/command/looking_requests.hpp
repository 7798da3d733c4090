/// Requests of the commands that only look at experiments or show what exists.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "command/command_line.hpp"
#include "command/command_table.hpp"
#include "command/read_words.hpp"

#include <optional>

namespace tune::cli {

/// Nothing if `where` is no such command. @errors as `request_from`.
[[nodiscard]] std::optional<expected<request>> looking_request(const read_result& x,
                                                               const command_doc& where);

} // namespace tune::cli
