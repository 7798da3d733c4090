/// Turns the words of a command into a request.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "command/command_line.hpp"
#include "command/read_words.hpp"

#include <string>

namespace tune::cli {

struct general_words;

/// The text of a wrong command line; `where` is null before the command is known.
[[nodiscard]] error wrong(const std::string& what, const command_doc* where);

/// Makes a request from the words of a command, whose options are known.
/// @errors `ec::bad_syntax` for values and positionals that the command does not take, with its
/// usage.
/// @param general What was given of the options that all commands take.
[[nodiscard]] expected<request> request_from(const read_result& x, const command_doc& where,
                                             const general_words& general);

} // namespace tune::cli
