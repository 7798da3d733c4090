/// What the running program is called where it speaks of itself: `tune::app` makes programs of
/// other names than "tune-node".
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>

namespace tune {

/// Says how it was called. To be set before there is a second thread; until then it is "tune-node".
/// @param called argv[0]; empty changes nothing.
void set_program_name(std::string_view called);

/// The name that its messages begin with: without a directory, and harmless to show. It stays where
/// it is, for handlers of signals.
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

/// A text written for "tune-node", with this program's name in its place.
[[nodiscard]] std::string in_own_name(std::string_view text);

} // namespace tune
