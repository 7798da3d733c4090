/// The manifest of a checkpoint: a list of its content, stored in its directory, by which it is
/// checked.
///
/// One JSON object in one line. The last member is the SHA-256 of all bytes before that member:
///
///     {"tune_checkpoint":1,"iteration":4,
///      "location":"trials/00003/attempt_1_7/checkpoint_000002","directories":["deep"],
///      "files":[{"path":"deep/state","mode":0,"size":12,"sha256":"0a…"}],
///      "links":[{"path":"newest","target":"deep/state"}],"sha256":"7f…"}
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/error.hpp"
#include "tune/io/files/file_manifest.hpp"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tune {

/// The manifest's file name, directly in the checkpoint. The name is reserved: a file that a
/// trainable writes there is replaced.
inline constexpr const char* checkpoint_manifest_name = ".tune_checkpoint.json";

/// Maximum number of files, directories and links of one checkpoint.
inline constexpr std::size_t max_checkpoint_entries = 100'000;

/// A symbolic link, which is kept as it is and never followed.
struct checkpoint_link {
  std::string path;
  std::string target;

  friend bool operator==(const checkpoint_link&, const checkpoint_link&) = default;
};

/// Paths are relative to the checkpoint and have the form of `shipped_file::path`. All lists are
/// sorted.
struct checkpoint_manifest {
  std::uint64_t iteration = 0;
  /// Parents come before their children.
  std::vector<std::string> directories;
  std::vector<shipped_file> files;
  std::vector<checkpoint_link> links;
  /// The checkpoint's location relative to the experiment's directory; empty if it was not
  /// recorded.
  std::string location{};

  /// Total size of the files.
  [[nodiscard]] std::uint64_t bytes() const;

  friend bool operator==(const checkpoint_manifest&, const checkpoint_manifest&) = default;
};

/// Formats the content of the manifest's file.
[[nodiscard]] std::string to_text(const checkpoint_manifest& what);

/// Reads the content of the manifest's file, without trusting it.
/// @errors `ec::protocol` with the fault.
[[nodiscard]] expected<checkpoint_manifest> checkpoint_manifest_from_text(std::string_view text);

/// Lists and hashes the content of `directory`, except the manifest's own file. Anything but files,
/// directories and links is left out.
/// @errors `ec::storage`, also for names that are not UTF-8 and for exceeded limits.
[[nodiscard]] expected<checkpoint_manifest> scan_checkpoint(const std::filesystem::path& directory,
                                                            std::uint64_t iteration);

/// Reads the manifest's file; empty if there is none, because the checkpoint is older than
/// manifests.
/// @errors `ec::unreadable`, also if `directory` is not a directory.
[[nodiscard]] expected<std::optional<std::string>>
read_checkpoint_manifest(const std::filesystem::path& directory);

/// Reads a whole checkpoint and compares it with its manifest. Additional files are not a fault.
/// @returns the manifest; empty if there is none, and so nothing to compare with.
/// @errors `ec::unreadable` for missing or unreadable files, `ec::protocol` for a broken manifest,
///   `ec::storage` for files that changed since they were saved or a checkpoint that belongs
///   elsewhere; each names the file. `ec::shortage` if there is no descriptor to check now, which
///   says nothing about the checkpoint.
[[nodiscard]] expected<std::optional<checkpoint_manifest>>
verify_checkpoint(const std::filesystem::path& directory);

} // namespace tune
