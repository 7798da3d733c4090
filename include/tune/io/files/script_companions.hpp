/// Files beside a script that it cannot run without: modules that it imports, files that it
/// sources.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <vector>

namespace tune {

/// Finds what a script needs of its own directory, as far as its text tells, and what that needs in
/// turn.
///
/// Of Python (`.py`, or `python` in the first line) the modules and packages that `import` and
/// `from` name and that lie beside the script. Of a shell (`.sh`, `.bash`, or a shell in the first
/// line) what is named behind the script's own directory: `$(dirname "$0")/lib.sh`,
/// `${0%/*}/lib.sh`, `$here/lib.sh`. Names that are computed are not found, nor files that are
/// opened. Of other languages nothing is known.
/// @param script A regular file.
/// @returns regular files below the script's directory, sorted, without the script itself; links
///          that lead out of that directory are left out. At most 10,000.
[[nodiscard]] std::vector<std::filesystem::path> companions_of(const std::filesystem::path& script);

} // namespace tune
