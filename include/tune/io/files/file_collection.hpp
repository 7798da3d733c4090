/// Files that lie below a directory, beside it or above it: collected from a parent of them all.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/error.hpp"
#include "tune/io/files/reading_rules.hpp"

#include <filesystem>
#include <span>
#include <string>

namespace tune {

/// A pattern as somebody wrote it: it may begin with "..", again and again.
struct declared_file {
  /// Where it was written, for texts: "files".
  std::string key;
  /// As for `make_manifest`.
  std::string pattern;
};

/// Files, and where they stand to the directory that names them.
struct file_collection {
  /// The nearest directory from which all patterns lead down. Canonical.
  std::filesystem::path root;
  /// The way from there to the directory that the patterns stand against, in the form of
  /// `shipped_file::path`; empty: it is the root.
  std::string base;
  /// Of what is below the root.
  file_manifest manifest;
};

/// Finds and hashes the files that `patterns` name against `base`.
///
/// A tree of the manifest's files in which `base` exists, too, gives every name its meaning: `../x`
/// is found from its `base` as from the real one. Nothing above the root is told.
/// @errors as `make_manifest`, with the key and the pattern as written, and what would mend it:
///   `ec::bad_option` also for a pattern that leads up to the file system's root, and for ".."
///   behind a name.
[[nodiscard]] expected<file_collection> collect_files(const std::filesystem::path& base,
                                                      std::span<const declared_file> patterns,
                                                      const reading_rules& how = {});

} // namespace tune
