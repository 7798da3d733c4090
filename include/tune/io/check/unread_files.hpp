/// Files of an experiment that whoever checks it may not read.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <set>
#include <string>
#include <vector>

namespace tune {

/// A file or directory that is there and cannot be read: nothing is known of what it holds.
struct unread_file {
  /// Relative to the experiment's directory.
  std::string path;
  /// What the system says: "Permission denied".
  std::string why;
};

/// "trials/00003: cannot be read: Permission denied".
[[nodiscard]] std::string to_text(const unread_file& x);

/// Looks at what a check would read below `trials/`: the runtime's own files of each trial, and all
/// of the checkpoints. Other files of trials do not count, nor does what is missing.
/// @param checkpoints Locations against `directory`.
/// @returns at most 100 of them. Of what lies in a directory that is shut only that directory.
[[nodiscard]] std::vector<unread_file> unread_files(const std::filesystem::path& directory,
                                                    const std::set<std::string>& checkpoints);

} // namespace tune
