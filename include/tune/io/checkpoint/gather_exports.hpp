/// What an attempt exported becomes a draft, as of any checkpoint.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace tune {

struct exported_files {
  /// The experiment's directory, or what stands for it on this node.
  std::filesystem::path experiment;
  /// Where the attempt wrote them, and the draft that is to be made of it: "trials/…" against it.
  std::filesystem::path from;
  std::filesystem::path draft;
  /// The formats that were asked for: there is a file or directory of each name, or there is not.
  std::vector<std::string> formats;
  /// Why some of them count as not there whatever was written. By format.
  std::map<std::string, std::string> failed = {};
};

struct gathered_exports {
  /// There is something to keep.
  bool is_draft = false;
  /// Why formats are not there; those of `exported_files::failed` are among them. By format.
  std::map<std::string, std::string> failed = {};
};

/// Moves them to the draft, where there are any; what counts as not there goes. May wait for the
/// disk.
[[nodiscard]] gathered_exports gather_exports(const exported_files& what);

} // namespace tune
