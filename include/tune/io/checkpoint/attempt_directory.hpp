/// Directories below `trials/` that an attempt writes into.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/error.hpp"

#include <filesystem>

namespace tune {

/// The location of a directory of an attempt. All functions may block on the disk.
struct attempt_directory {
  /// Relative path: "trials/<trial>" or below it.
  std::filesystem::path name;
  /// The experiment's directory, or its substitute on this node.
  std::filesystem::path on_disk;
  /// The job's directory in this node's memory, if the attempt's directory should be there if
  /// possible; else empty.
  std::filesystem::path in_memory = {};
};

struct made_directory {
  std::filesystem::path path;
  bool in_memory = false;
};

/// Creates the directory and missing parents: in memory, or on disk if that fails. An existing one
/// stays as it is.
/// @errors `ec::storage`; `ec::refused` if a symbolic link or a mount point is on the way.
[[nodiscard]] expected<made_directory> make_directory(const attempt_directory& where);

/// Removes the directory wherever `make_directory` may have created it. Anything that cannot be
/// removed is swept later.
void remove_directory(const attempt_directory& where);

} // namespace tune
