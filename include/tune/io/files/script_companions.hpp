/// Finds files beside a script that it cannot run without: modules that it imports, files that it
/// sources.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <vector>

namespace tune {

/// Finds the files in its own directory that a script needs, as far as its text shows, and the
/// files that those need in turn.
///
/// For Python (`.py`, or `python` in the first line): modules and packages beside the script that
/// `import` and `from` name. For a shell (`.sh`, `.bash`, or a shell in the first line): names
/// after the script's own directory, as in `$(dirname "$0")/lib.sh`, `${0%/*}/lib.sh`,
/// `$here/lib.sh`. Computed names and files that are opened at run time are not found. Other
/// languages are not supported.
/// @param script A regular file.
/// @returns regular files below the script's directory, sorted, without the script itself; links
///          that lead out of that directory are left out. At most 10,000.
[[nodiscard]] std::vector<std::filesystem::path> companions_of(const std::filesystem::path& script);

} // namespace tune
