/// Has a head carry out a command about an experiment in its storage.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "command/command_line.hpp"
#include "exit_code.hpp"
#include "output/format.hpp"
#include "tune/net/transport.hpp"

#include <functional>
#include <string_view>

namespace tune::cli {

/// Gets the output as it comes: bytes for stdout, and for stderr. @returns whether more is wanted.
using output_taker = std::function<bool(std::string_view out, std::string_view err)>;

/// The command with all that its answer is to show. @param look Of stdout.
[[nodiscard]] remote_command whole_command(const at_head_request& what, const transport& how,
                                           const table_look& look);

/// Has the command carried out, and ends as it does.
/// @param look Of stdout.
/// @param take Nothing: its output becomes this process's own.
[[nodiscard]] exit_code ask_head(const at_head_request& what, const table_look& look,
                                 const output_taker& take = {});

} // namespace tune::cli
