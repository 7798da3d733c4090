/// The files that a node put in place for a job, to be checked again before use.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/error.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace tune {

/// Files that a job needs, where this node put them. A cleanup of the node's directories may have
/// removed them since; trials may have changed them, which they are allowed to do.
struct laid_files {
  /// An absolute path.
  std::filesystem::path directory;
  /// Paths below `directory`, as in a `file_manifest`.
  std::vector<std::string> paths;
};

/// Checks that all of them exist as a file or a link. Blocks on the disk, once per file.
/// @errors `ec::unreadable` naming the first missing one and how many are missing.
[[nodiscard]] expected<void> look_for(const laid_files& what);

} // namespace tune
