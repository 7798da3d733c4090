/// Reading and writing the few small files of a certificate directory, with care for secrets.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/error.hpp"

#include <sys/types.h>

#include <filesystem>
#include <string>
#include <vector>

namespace tune {

/// A file as it was read.
struct file_content {
  std::string text;
  /// Its permissions; the bits of `chmod`.
  mode_t mode = 0;
};

/// Who may read a file that is written.
enum class audience : bool { everybody, owner_only };

/// A file to write.
struct new_file {
  std::filesystem::path path;
  std::string text;
  audience readers = audience::everybody;
  /// Takes the place of a file that is there.
  bool replaces = false;
};

/// Tells whether anything, a broken link included, has this name.
[[nodiscard]] bool is_taken(const std::filesystem::path& path);

/// Reads a regular file of at most 1 MiB. Never waits, as it would for a pipe.
/// @errors `ec::unreadable` where there is no such file; `ec::storage` where it cannot be read.
[[nodiscard]] expected<file_content> read_small_file(const std::filesystem::path& path);

/// Refuses a secret that others than its owner may read or change.
/// @errors `ec::refused` with the command that mends it.
[[nodiscard]] expected<void> check_secrecy(const std::filesystem::path& path, mode_t mode);

/// Writes all files, each one whole or not at all: they are first written and synced beside their
/// places, then renamed one by one in the order given. Secrets are readable by their owner alone
/// from the moment they exist.
/// @errors `ec::refused` where a file is there and is not to be replaced; `ec::storage`.
[[nodiscard]] expected<void> write_files(const std::vector<new_file>& all);

/// Makes a directory for the owner alone, and those above it, where there is none yet.
[[nodiscard]] expected<void> make_private_directory(const std::filesystem::path& path);

} // namespace tune
