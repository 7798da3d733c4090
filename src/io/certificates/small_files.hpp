/// Reads and writes the few small files of a certificate directory, and protects secrets.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/error.hpp"

#include <sys/types.h>

#include <filesystem>
#include <string>
#include <vector>

namespace tune {

/// Content and permissions of a file that was read.
struct file_content {
  std::string text;
  /// Permissions, as the bits of `chmod`.
  mode_t mode = 0;
  uid_t owner = 0;
};

/// Users who may read a written file.
enum class audience : bool { everybody, owner_only };

/// A file to write.
struct new_file {
  std::filesystem::path path;
  std::string text;
  audience readers = audience::everybody;
  /// Replaces an existing file.
  bool replaces = false;
};

/// Tells whether anything has this name, even a broken link.
[[nodiscard]] bool is_taken(const std::filesystem::path& path);

/// Reads a regular file of at most 1 MiB. Never blocks, not even on a pipe.
/// @errors `ec::unreadable` if there is no such file; `ec::storage` if it cannot be read.
[[nodiscard]] expected<file_content> read_small_file(const std::filesystem::path& path);

/// Refuses a secret that users other than its owner may read or change. Where root owns it and this
/// process is another user's, the group may read it: so it is where secrets are mounted.
/// @errors `ec::refused` with the command that fixes it.
[[nodiscard]] expected<void> check_secrecy(const std::filesystem::path& path,
                                           const file_content& what);

/// Writes all files, each one completely or not at all: the files are first written and synced next
/// to their destinations, then renamed one by one in the given order. Only its owner can read a
/// secret, from the moment the file exists.
/// @errors `ec::refused` if a file exists and is not to be replaced; `ec::storage`.
[[nodiscard]] expected<void> write_files(const std::vector<new_file>& all);

/// Creates a directory that only the owner may access, and its parents, if they are missing.
[[nodiscard]] expected<void> make_private_directory(const std::filesystem::path& path);

} // namespace tune
