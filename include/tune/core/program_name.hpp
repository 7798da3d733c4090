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

/// As it was called: argv[0].
[[nodiscard]] const std::string& called_program();

/// A command line of this program that a shell understands where it was called: `./my_tune resume
/// results/x`.
/// @param words What follows the program, quoted as far as it must be.
[[nodiscard]] std::string program_call(std::string_view words);

/// How whoever reads this program's messages names the experiment in `directory`, quoted for a
/// shell: by the directory itself; in a program that answers a client of a head, by its name and
/// the options that reach the head: `x --head head:7700`.
[[nodiscard]] std::string experiment_words(std::string_view directory);

/// From now on experiments are named by the last part of their directory and these words.
/// To be set before there is a second thread.
/// @param reaching Options behind the name, quoted: "--head head:7700 --certs c".
void name_experiments_at_head(std::string_view reaching);
/// Whether that was said, and with which words.
[[nodiscard]] const std::string& words_to_head();

/// Replaces "tune-node" in a text by this program's name.
[[nodiscard]] std::string in_own_name(std::string_view text);

} // namespace tune
