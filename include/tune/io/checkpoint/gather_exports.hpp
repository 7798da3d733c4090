/// Turns the exports of an attempt into a draft, like that of a checkpoint.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace tune {

struct exported_files {
  /// The experiment's directory, or its substitute on this node.
  std::filesystem::path experiment;
  /// The directory that the attempt wrote to, and the draft to be made of it: "trials/…", relative
  /// to `experiment`.
  std::filesystem::path from;
  std::filesystem::path draft;
  /// The requested formats, each of which may exist as a file or directory of this name.
  std::vector<std::string> formats;
  /// Formats that count as failed whatever was written, with the reasons.
  std::map<std::string, std::string> failed = {};
};

struct gathered_exports {
  /// True if there is something to keep.
  bool is_draft = false;
  /// Failed formats with the reasons, including those of `exported_files::failed`.
  std::map<std::string, std::string> failed = {};
};

/// Moves the exports to the draft, if there are any; removes those that count as failed. May block
/// on the disk.
[[nodiscard]] gathered_exports gather_exports(const exported_files& what);

} // namespace tune
