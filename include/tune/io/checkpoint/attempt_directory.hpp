/// Directories below `trials/` that an attempt writes into.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/error.hpp"

#include <filesystem>

namespace tune {

/// Where a directory of an attempt is to be. All functions may wait for the disk.
struct attempt_directory {
  /// "trials/<trial>" and what is below it.
  std::filesystem::path name;
  /// The experiment's directory, or what stands for it on this node.
  std::filesystem::path on_disk;
  /// The job's part of this node's memory, where it is to be there if that can be; else empty.
  std::filesystem::path in_memory = {};
};

struct made_directory {
  std::filesystem::path path;
  bool in_memory = false;
};

/// Makes it and what is missing above it: in memory, or on disk where that cannot be. One that is
/// there stays as it is.
/// @errors `ec::storage`; `ec::refused` where a link or a mount point is on the way.
[[nodiscard]] expected<made_directory> make_directory(const attempt_directory& where);

/// Removes it wherever `make_directory` may have made it. What cannot go stays and is swept later.
void remove_directory(const attempt_directory& where);

} // namespace tune
