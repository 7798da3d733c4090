/// The files that a node laid out for a job, to be looked at again before they are used.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/error.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace tune {

/// Files that a job needs, where this node put them. Whoever cleans up the node's directories may
/// have removed them since; trials may have written into them, which is theirs to do.
struct laid_files {
  /// Absolute.
  std::filesystem::path directory;
  /// Below `directory`, as in a `file_manifest`.
  std::vector<std::string> paths;
};

/// Looks whether all of them are there: a file or a link of each name. Blocks on the disk, once per
/// file.
/// @errors `ec::unreadable` naming the first one that is gone and how many are.
[[nodiscard]] expected<void> look_for(const laid_files& what);

} // namespace tune
