/// The files of an archive that a client uploads, as values: nothing of it is believed.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/error.hpp"

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace tune::cli {

/// One file of an upload.
struct uploaded_file {
  /// Relative, of names only: no `.`, no `..`.
  std::string path;
  std::string bytes;
  bool executable = false;
};

/// What an upload may hold.
struct upload_limits {
  std::size_t files = 1000;
  /// Of all files together; holes count. [bytes]
  std::size_t bytes = 64 * 1024 * 1024;
  /// Directories around a file.
  std::size_t depth = 16;
  /// Of one name. [bytes]
  std::size_t name = 200;
};

/// Reads a tar archive. It may hold files and directories, nothing else: no links, devices or
/// FIFOs. A leading "./" of a name is dropped.
/// @errors `ec::bad_syntax` if it is no tar archive; `ec::bad_option` naming the entry and what is
///         wrong with it: its type, a path that leads out, a name that is there twice, or a limit.
[[nodiscard]] expected<std::vector<uploaded_file>>
files_in_archive(std::string_view archive, const upload_limits& limits = {});

/// The INI file of an upload. @param wanted Its path; empty: the only file at the top that ends in
/// ".ini". @errors `ec::bad_option`, naming those there are.
[[nodiscard]] expected<std::string> ini_file_in(const std::vector<uploaded_file>& all,
                                                const std::string& wanted);

/// Writes the files into a new directory of their own.
/// @param into Exists, is empty, and nobody else writes to it. @errors `ec::storage`.
[[nodiscard]] expected<void> write_files(const std::vector<uploaded_file>& all,
                                         const std::filesystem::path& into);

} // namespace tune::cli
