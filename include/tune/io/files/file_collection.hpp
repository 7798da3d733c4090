/// Collects files below, beside or above a directory, starting from a common parent directory.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/error.hpp"
#include "tune/io/files/reading_rules.hpp"

#include <filesystem>
#include <span>
#include <string>

namespace tune {

/// A pattern as the user wrote it; it may begin with one or several "..".
struct declared_file {
  /// The key that has the pattern, for error texts: "files".
  std::string key;
  /// In the form that `make_manifest` takes.
  std::string pattern;
};

/// Files, and their location relative to the directory that the patterns refer to.
struct file_collection {
  /// The deepest directory that contains all files named by the patterns. Canonical path.
  std::filesystem::path root;
  /// The path from there to the directory that the patterns refer to, in the form of
  /// `shipped_file::path`; empty if it is the root itself.
  std::string base;
  /// The files below the root.
  file_manifest manifest;
};

/// Finds and hashes the files that `patterns` name relative to `base`.
///
/// In a tree of the manifest's files in which `base` exists, too, all names work as in the
/// original: `../x` is found from its `base`. Nothing above the root is revealed.
/// @errors as `make_manifest`, with the key, the pattern as written, and a remedy: `ec::bad_option`
///   also for a pattern that leads up to the file system's root, and for ".." after a name.
[[nodiscard]] expected<file_collection> collect_files(const std::filesystem::path& base,
                                                      std::span<const declared_file> patterns,
                                                      const reading_rules& how = {});

} // namespace tune
