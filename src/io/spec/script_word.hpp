/// Which word of a command is the script that an interpreter is to run.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

namespace tune {

/// The script of python, pypy, sh, bash, dash, ksh, zsh, node, perl, ruby, Rscript or julia: the
/// first word that is no option and belongs to none.
/// @param words The program first, by name or place.
/// @returns empty where the program is another one, takes its text from elsewhere (`-c`, `-m`,
///          `-e`, stdin), or has an option that is not known.
[[nodiscard]] std::string script_of(const std::vector<std::string>& words);

} // namespace tune
