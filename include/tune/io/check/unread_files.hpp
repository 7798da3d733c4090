/// Files of an experiment that the user who checks it may not read.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <set>
#include <string>
#include <vector>

namespace tune {

/// A file or directory that exists and cannot be read, so that its content is unknown.
struct unread_file {
  /// Relative to the experiment's directory.
  std::string path;
  /// The system's message: "Permission denied".
  std::string why;
};

/// "trials/00003: cannot be read: Permission denied".
[[nodiscard]] std::string to_text(const unread_file& x);

/// Examines the files that a check would read below `trials/`: the runtime's own files of each
/// trial, and all files of the checkpoints. Other files of trials are ignored, and so are missing
/// ones.
/// @param checkpoints Locations relative to `directory`.
/// @returns at most 100 entries. For an inaccessible directory, only the directory itself.
[[nodiscard]] std::vector<unread_file> unread_files(const std::filesystem::path& directory,
                                                    const std::set<std::string>& checkpoints);

} // namespace tune
