/// Finds the script in a command that an interpreter is to run.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

namespace tune {

/// The script for python, pypy, sh, bash, dash, ksh, zsh, node, perl, ruby, Rscript or julia: the
/// first word that is neither an option nor an option's value.
/// @param words The command; the program comes first, by name or path.
/// @returns an empty text if the program is another one, takes its code from elsewhere (`-c`, `-m`,
///          `-e`, stdin), or has an unknown option.
[[nodiscard]] std::string script_of(const std::vector<std::string>& words);

} // namespace tune
