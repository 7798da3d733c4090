/// The name of the running program in its messages: `tune::app` makes programs with other names
/// than "tune-node".
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>

namespace tune {

/// Sets the name by which the program was called. Call it before there is a second thread; until
/// then the name is "tune-node".
/// @param called argv[0]; an empty one changes nothing.
void set_program_name(std::string_view called);

/// The name at the beginning of the program's messages: without a directory, and harmless to show.
/// Its address stays the same, for signal handlers.
[[nodiscard]] const std::string& program_name();

/// A command line of this program that a shell understands in the directory where it was called:
/// `./my_tune resume results/x`.
/// @param words The words after the program, already quoted as necessary.
[[nodiscard]] std::string program_call(std::string_view words);

/// Replaces "tune-node" in a text by this program's name.
[[nodiscard]] std::string in_own_name(std::string_view text);

} // namespace tune
